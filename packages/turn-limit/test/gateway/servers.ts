/** Servers on ports that the system chooses, for as long as a test lasts. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from "node:http";
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from "node:net";
import { readBody } from "../../src/gateway/forward/body.ts";
import type { Cancellation } from "../../src/gateway/forward/cancellation.ts";
import { type Exchange, openExchange } from "../../src/gateway/forward/exchange.ts";
import { forward } from "../../src/gateway/forward/forward.ts";
import type { Outgoing, Passed, Watcher } from "../../src/gateway/forward/outgoing.ts";
import {
  type UpstreamConnections,
  upstreamConnections,
} from "../../src/gateway/forward/upstream-connections.ts";

/** A server that listens. */
export class Listening<Of extends TcpServer = TcpServer> implements AsyncDisposable {
  readonly server: Of;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Of) {
    this.server = server;
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket.on("error", () => {}));
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  static async on<Of extends TcpServer>(server: Of): Promise<Listening<Of>> {
    const listening = new Listening(server);
    await once(server.listen(0, "127.0.0.1"), "listening");
    return listening;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
  }
}

/** A provider. */
export function startProvider(answer: RequestListener): Promise<Listening<Server>> {
  return Listening.on(createServer(answer));
}

/** A provider that answers connections, byte by byte. */
export function startRawProvider(answer: (socket: Socket) => void): Promise<Listening> {
  return Listening.on(createTcpServer({ noDelay: true }, answer));
}

export interface ForwarderOptions {
  connections?: UpstreamConnections;
  cutOff?: Cancellation;
  outgoing?: Partial<Outgoing>;
  watcher?(exchange: Exchange): Watcher;
}

/** A server that forwards everything to one address. */
export class Forwarder implements AsyncDisposable {
  readonly connections: UpstreamConnections;
  /** How each exchange came to its end, in the order in which they began. */
  readonly passed: Promise<Passed>[] = [];
  readonly #listening: Listening<Server>;

  private constructor(listening: Listening<Server>, connections: UpstreamConnections) {
    this.#listening = listening;
    this.connections = connections;
  }

  static async to(target: string, options: ForwarderOptions = {}): Promise<Forwarder> {
    const { connections = upstreamConnections({}), cutOff } = options;
    const server = createServer(async (request, response) => {
      const exchange = openExchange(request, response);
      const body = await readBody(request);
      if (body.kind !== "complete") return;
      const path = request.url ?? "/";
      const outgoing: Omit<Outgoing, "over"> = {
        url: new URL(path, target),
        path,
        body: body.bytes,
        isRewritten: false,
        wantsPlain: false,
        watcher: options.watcher?.(exchange) ?? {},
        cutOff,
        mayResend: async () => true,
        errorBody: (_status, message) => JSON.stringify({ error: { message } }),
        ...options.outgoing,
      };
      forwarder.passed.push(new Promise((over) => forward(exchange, { ...outgoing, over }, connections)));
    });
    const forwarder = new Forwarder(await Listening.on(server), connections);
    return forwarder;
  }

  get address(): string {
    return this.#listening.address;
  }

  /** A connection to this server on which `text` was sent, byte for byte. */
  send(text: string): Socket {
    const socket = connect({ port: this.#listening.port, host: "127.0.0.1" }).on("error", () => {});
    socket.write(text, "latin1");
    return socket;
  }

  /** The answer to a request, as soon as it begins. */
  async begun(path = "/", method = "GET", body?: Uint8Array | string): Promise<IncomingMessage> {
    const sent = request(this.address + path, { method, agent: false }).end(body);
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    return answer.on("error", () => {});
  }

  /** The answer to a request. */
  async get(
    path = "/",
    method = "GET",
    body?: Uint8Array | string,
  ): Promise<{ status: number; text: string }> {
    const answer = await this.begun(path, method, body);
    return { status: answer.statusCode ?? 0, text: (await allOf(answer)).toString() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.connections.close();
    await this.#listening[Symbol.asyncDispose]();
  }
}

/** Everything that comes until the end, or until a cut. */
export async function allOf(stream: Socket | IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  if (!stream.closed) await once(stream, "close").catch(() => {});
  return Buffer.concat(chunks);
}

/** The next bytes, once `length` of them are there. */
export async function bytesOf(stream: Socket | IncomingMessage, length: number): Promise<string> {
  for (;;) {
    const bytes: Buffer | null = stream.read(length);
    if (bytes !== null) return bytes.toString("latin1");
    await once(stream, "readable");
  }
}

/** The head of a message, line by line. The rest stays unread. */
export async function headOf(stream: Socket): Promise<string[]> {
  let head = "";
  while (!head.endsWith("\r\n\r\n")) head += await bytesOf(stream, 1);
  return head.trimEnd().split("\r\n");
}

/** A promise that is kept from outside. */
export function deferred<Value>(): { promise: Promise<Value>; resolve(value: Value): void } {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((keep) => {
    resolve = keep;
  });
  return { promise, resolve };
}
