import type { Reply } from "../../core/governor/decision.ts";
import type { Background, Channel, Notification, NotifiedQuestion, Occasion, Timing } from "../channel.ts";
import type { Requests } from "../requests.ts";
import { sending } from "../sending.ts";
import type { Target } from "../target.ts";
import { serverAdvice } from "../trouble.ts";
import { NOTIFY } from "../variables.ts";
import { Answers } from "./answers.ts";
import { PhoneQuestion } from "./phone-question.ts";

/** What the app shows before the title. */
const TAGS: Readonly<Record<Occasion, string>> = {
  question: "question",
  budget: "warning",
  idle: "zzz",
  end: "checkered_flag",
};

/** A topic of a server of ntfy. Answers come back over a second, secret topic: no port is open here. */
export class Ntfy implements Channel {
  readonly name: string;
  readonly where = "by ntfy";
  readonly canReply = true;
  readonly #target: Extract<Target, { kind: "ntfy" }>;
  readonly #requests: Requests;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timing: Timing;
  readonly #closed = new AbortController();

  constructor(
    target: Extract<Target, { kind: "ntfy" }>,
    requests: Requests,
    token: string | undefined,
    timing: Timing,
  ) {
    this.name = `ntfy at ${target.server.host}`;
    this.#target = target;
    this.#requests = requests;
    this.#headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    this.#timing = timing;
  }

  whatToDo(error: unknown): string {
    return serverAdvice(error, `Check the name of the topic, who may read and write it, and ${NOTIFY.token}`);
  }

  tell({ about, title, text }: Notification): Promise<void> {
    return this.#publish({ title, message: text, tags: [TAGS[about]] });
  }

  ask(
    question: NotifiedQuestion,
    withdrawn: AbortSignal,
    background: Background,
  ): Promise<Reply | undefined> {
    const answers = new Answers(this.#target.server, this.#requests, this.#headers, this.#timing);
    const publish = (message: object) => this.#publish(message);
    const asked = new PhoneQuestion(question, answers, publish, background);
    return asked.reply(withdrawn, this.#closed.signal, this.#timing.tooLateFor);
  }

  close(): void {
    this.#closed.abort();
  }

  async #publish(message: object): Promise<void> {
    const body = JSON.stringify({ topic: this.#target.topic, ...message });
    const post = (signal: AbortSignal) =>
      this.#requests.post(this.#target.server, body, this.#headers, signal);
    await sending(post, this.#closed.signal, this.#timing);
  }
}
