import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listenOnLoopback } from "./listen-on-loopback.ts";

/** A button of a notification. */
export interface NtfyAction {
  readonly id: string;
  readonly action: string;
  readonly label: string;
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly clear?: boolean;
}

/** A message, as a server of ntfy writes it on its streams. */
export interface NtfyMessage {
  readonly id: string;
  readonly time: number;
  readonly event: "message";
  readonly topic: string;
  readonly title?: string;
  readonly message: string;
  readonly priority?: number;
  readonly tags?: readonly string[];
  readonly sequence_id?: string;
  readonly actions?: readonly NtfyAction[];
}

/** How a server fails: it answers with a status, it never answers, or its streams are not what they should be. */
export type NtfyFailure = number | "hangs" | "garbage";

export interface NtfyServerOptions {
  /** With it everything may be done, without it only what `forEveryone` says. */
  readonly token?: string;
  /** Which topics everyone may write to, if there is a token. Default: none. */
  readonly forEveryone?: RegExp;
  /** After how many milliseconds a stream says that it is there. Default: 45 seconds, as the real one. */
  readonly keepalive?: number;
}

/** A server on this machine that speaks the protocol of ntfy: messages are published as JSON, or as a text to a topic, and streamed. */
export class NtfyServer {
  readonly #options: NtfyServerOptions;
  readonly #messages: NtfyMessage[] = [];
  readonly #streams = new Map<ServerResponse, string>();
  readonly #waiting = new Set<() => void>();
  readonly #server = createServer((request, response) => void this.#handle(request, response));
  #listening: Awaited<ReturnType<typeof listenOnLoopback>> | undefined;
  /** Requests that came, as `POST /`. */
  readonly requests: string[] = [];
  /** How what is published, and what is listened to, fails. */
  fails: { publish?: NtfyFailure | undefined; listen?: NtfyFailure | undefined } = {};

  private constructor(options: NtfyServerOptions) {
    this.#options = options;
  }

  static async start(options: NtfyServerOptions = {}): Promise<NtfyServer> {
    const server = new NtfyServer(options);
    server.#listening = await listenOnLoopback(server.#server);
    return server;
  }

  get host(): string {
    return `127.0.0.1:${this.#listening?.port}`;
  }

  /** What is given as the target of notifications. */
  target(topic: string): string {
    return `ntfy:http://${this.host}/${topic}`;
  }

  messages(topic: string): NtfyMessage[] {
    return this.#messages.filter((message) => message.topic === topic);
  }

  /** Topics that are listened to now. */
  get listened(): string[] {
    return [...this.#streams.values()];
  }

  /** Resolves once it holds, looking at each request and each message. */
  async until<Seen>(look: () => Seen | undefined | false): Promise<Seen> {
    for (;;) {
      const seen = look();
      if (seen !== undefined && seen !== false) return seen;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** The message with this number in a topic, when it is there. */
  message(topic: string, number = 0): Promise<NtfyMessage> {
    return this.until(() => this.messages(topic)[number]);
  }

  /** Presses a button as the app does. Returns the status. */
  async press({ actions = [] }: NtfyMessage, label: string): Promise<number> {
    const action = actions.find((one) => one.label === label);
    if (!action) throw new Error(`No button ${label}, but ${actions.map((one) => one.label).join(", ")}`);
    const { url, method = "POST", headers = {}, body } = action;
    return (await fetch(url, { method, headers, ...(body !== undefined && { body }) })).status;
  }

  /** Ends all streams, as a server that is restarted. */
  dropStreams(): void {
    for (const stream of this.#streams.keys()) stream.destroy();
  }

  async close(): Promise<void> {
    await this.#listening?.close();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => {});
    const { method = "GET", url = "/" } = request;
    const { pathname, searchParams } = new URL(url, "http://ntfy");
    let body = "";
    for await (const more of request.setEncoding("utf8")) body += more;
    this.requests.push(`${method} ${url}`);
    this.#changed();
    const [, topic = "", kind] = /^\/([-\w]{1,64})?(?:\/(json))?$/.exec(pathname) ?? [];
    const isListening = method === "GET" && kind === "json";
    const failure = isListening ? this.fails.listen : this.fails.publish;
    if (failure === "hangs") return;
    if (typeof failure === "number") return refuse(response, failure, "failing");
    if (isListening) {
      if (!this.#mayRead(request)) return refuse(response, 403, "forbidden");
      return this.#listen(topic, searchParams, response);
    }
    if (method !== "POST" && method !== "PUT") return refuse(response, 404, "page not found");
    const published = topic === "" ? publishedIn(body) : { topic, message: body };
    if (!published) return refuse(response, 400, "invalid request: request body must be message JSON");
    if (!this.#mayWrite(request, published.topic)) return refuse(response, 403, "forbidden");
    const message = this.#add(published);
    response.writeHead(200, { "Content-Type": "application/json" }).end(`${JSON.stringify(message)}\n`);
  }

  #add(published: Published): NtfyMessage {
    const { actions, ...said } = published;
    const message: NtfyMessage = {
      ...{ id: newId(), time: now(), event: "message", ...said },
      ...(actions && { actions: actions.map((action) => ({ ...action, id: newId() })) }),
    };
    this.#messages.push(message);
    for (const [stream, topic] of this.#streams) if (topic === message.topic) writeLine(stream, message);
    this.#changed();
    return message;
  }

  #listen(topic: string, query: URLSearchParams, response: ServerResponse): void {
    response.writeHead(200, { "Content-Type": "application/x-ndjson; charset=utf-8" });
    if (this.fails.listen === "garbage") {
      response.write('nonsense\n[1]\n{"event":"message"}\n{"event":"message","message":7}\n\n');
    }
    writeLine(response, { id: newId(), time: now(), event: "open", topic });
    for (const message of this.#since(topic, query.get("since"))) writeLine(response, message);
    if (query.get("poll") === "1") {
      response.end();
      return;
    }
    this.#streams.set(response, topic);
    const alive = setInterval(
      () => writeLine(response, { id: newId(), time: now(), event: "keepalive", topic }),
      this.#options.keepalive ?? 45_000,
    );
    response.once("close", () => {
      clearInterval(alive);
      this.#streams.delete(response);
      this.#changed();
    });
    this.#changed();
  }

  #since(topic: string, since: string | null): NtfyMessage[] {
    const all = this.messages(topic);
    if (since === null || since === "none") return [];
    if (since === "all") return all;
    if (/^\d{10}$/.test(since)) return all.filter(({ time }) => time >= Number(since));
    // After an id that is not known everything comes.
    return all.slice(all.findIndex(({ id }) => id === since) + 1);
  }

  #mayRead({ headers }: IncomingMessage): boolean {
    const { token } = this.#options;
    return token === undefined || headers.authorization === `Bearer ${token}`;
  }

  #mayWrite(request: IncomingMessage, topic: string): boolean {
    const isForEveryone = this.#options.forEveryone?.test(topic) && !request.headers.authorization;
    return isForEveryone || this.#mayRead(request);
  }

  #changed(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const look of waiting) look();
  }
}

type Published = Omit<NtfyMessage, "id" | "time" | "event" | "actions"> & {
  actions?: readonly Omit<NtfyAction, "id">[];
};

/** What is published as JSON, if the real server would take it. */
function publishedIn(body: string): Published | undefined {
  let given: Published;
  if (Buffer.byteLength(body) > 8192) return undefined;
  try {
    given = JSON.parse(body);
  } catch {
    return undefined;
  }
  const { topic, actions = [], message = "triggered" } = given;
  const isAction = ({ action, label, url }: Omit<NtfyAction, "id">) =>
    action === "http" && label !== "" && /^https?:\/\//.test(url);
  const isTaken = /^[-\w]{1,64}$/.test(topic) && actions.length <= 3 && actions.every(isAction);
  return isTaken && Buffer.byteLength(message) <= 4096 ? { ...given, message } : undefined;
}

function refuse(response: ServerResponse, http: number, error: string): void {
  response.writeHead(http, { "Content-Type": "application/json" }).end(JSON.stringify({ http, error }));
}

function writeLine(stream: ServerResponse, line: object): void {
  stream.write(`${JSON.stringify(line)}\n`);
}

function newId(): string {
  return randomBytes(9).toString("base64url").replace(/[-_]/g, "x");
}

function now(): number {
  return Math.floor(Date.now() / 1_000);
}
