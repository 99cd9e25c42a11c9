import { createHmac } from "node:crypto";
import type { Reply } from "../core/governor/decision.ts";
import { REPLIES, replyIn } from "../pools/listing/typed-replies.ts";
import type { Channel, Notification, NotifiedQuestion, Timing } from "./channel.ts";
import { objectIn } from "./ntfy/signed-replies.ts";
import type { Headers, Requests } from "./requests.ts";
import { sending } from "./sending.ts";
import { serverAdvice } from "./trouble.ts";

/** No reply has more characters. */
const LONGEST_REPLY = 100;

/** An address that gets each notification as one POST. It can only answer with what it responds. */
export class Webhook implements Channel {
  readonly name: string;
  readonly where = "by the webhook";
  readonly canReply = true;
  readonly #address: URL;
  readonly #requests: Requests;
  readonly #secret: string | undefined;
  readonly #timing: Timing;
  readonly #closed = new AbortController();

  constructor(address: URL, requests: Requests, secret: string | undefined, timing: Timing) {
    this.name = `webhook at ${address.host}`;
    this.#address = address;
    this.#requests = requests;
    this.#secret = secret;
    this.#timing = timing;
  }

  whatToDo(error: unknown): string {
    return serverAdvice(error, "Check its address");
  }

  async tell(notification: Notification): Promise<void> {
    await this.#post(notification);
  }

  async ask(question: NotifiedQuestion): Promise<Reply | undefined> {
    const said = (await this.#post(question)).trim();
    const { reply } = objectIn(said);
    // Most webhooks say something that is no reply, such as "ok" or "1": an amount has to be said to be one.
    if (reply === undefined) return Object.hasOwn(REPLIES, said) ? REPLIES[said] : undefined;
    if (typeof reply !== "string" || reply.length > LONGEST_REPLY) return undefined;
    return replyIn(reply, question.ask);
  }

  close(): void {
    this.#closed.abort();
  }

  #post({ about, title, text, facts }: Notification): Promise<string> {
    const body = JSON.stringify({ about, title, text, ...facts });
    const post = (signal: AbortSignal) =>
      this.#requests.post(this.#address, body, signatureOf(body, this.#secret), signal);
    return sending(post, this.#closed.signal, this.#timing);
  }
}

/** What proves to the receiver who sent it, and when. */
function signatureOf(body: string, secret: string | undefined): Headers {
  if (secret === undefined) return {};
  const time = Math.floor(Date.now() / 1_000);
  const signature = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
  return { "Turn-Limit-Signature": `t=${time},v1=${signature}` };
}
