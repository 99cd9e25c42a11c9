import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { messageOf } from "../../core/errors/message-of.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { pause } from "../../run/pause.ts";
import { CommandError } from "../command-error.ts";
import { answeredBefore, CHANGERS, isParked, makeChange, nameOf } from "../pools/changes.ts";
import { readRecord } from "../pools/pool-view.ts";
import { refusalOf, SAFE_HEADERS, secretIn } from "./access.ts";
import type { Device, Devices } from "./devices.ts";
import { metricsEndpoint } from "./metrics-endpoint.ts";
import { addressOf, originsOf, type Place } from "./place.ts";
import { StoreFeed } from "./store-feed.ts";
import { Strangers } from "./strangers.ts";
import { WrongCodes } from "./wrong-codes.ts";

/** A dashboard at work. */
export interface Dashboard {
  /** Where browsers find it. */
  readonly address: string;
  close(): Promise<void>;
}

const PAGE: Readonly<Record<string, readonly [file: string, type: string]>> = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/app.js": ["app.js", "text/javascript; charset=utf-8"],
  "/style.css": ["style.css", "text/css; charset=utf-8"],
  "/icon.svg": ["icon.svg", "image/svg+xml"],
};

/** How often a stream sends a sign of life, and whether its device was revoked is checked, in milliseconds. */
const BEAT = 2_000;
/** How long to wait at the end until the viewers have the last events, in milliseconds. */
const LAST_WORDS = 1_000;
const MOST_BYTES = 16_384;
/** How many pages may be open at once. */
const MOST_STREAMS = 500;
/** Slow clients, or many connections, must not delay other clients. Times in milliseconds. */
const PATIENCE = { headersTimeout: 10_000, requestTimeout: 20_000, connectionsCheckingInterval: 5_000 };
/** After how many milliseconds in which nothing was sent or read a connection is closed: a browser reads every beat. */
const SILENCE = 30_000;
const MOST_CONNECTIONS = 2 * MOST_STREAMS;
/** Many requests may be sent at once on one connection, and who does not read lets their answers pile up. */
const MOST_REQUESTS_OF_CONNECTION = 50;

/** Serves the page, and what it shows and does. `goesOn`: does this parked run go on by itself when it is answered? */
export async function serveDashboard(
  store: Store,
  devices: Devices,
  place: Place,
  goesOn: (run: string) => boolean = () => false,
  silence = SILENCE,
): Promise<Dashboard> {
  const measure = await metricsEndpoint(store, devices);
  const feed = new StoreFeed(store);
  let origins: ReadonlySet<string> = new Set();
  const wrongCodes = new WrongCodes();

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pathname = (request.url ?? "/").split("?")[0] ?? "/";
    const refusal = refusalOf(request, { place, origins, isPage: pathname === "/" });
    if (refusal !== undefined) return say(response, 403, { error: refusal });
    const page = Object.hasOwn(PAGE, pathname) ? PAGE[pathname] : undefined;
    if (page) return isMethod(request, response, "GET") ? sendPage(response, page) : undefined;
    if (pathname === "/api/pair") return pair(request, response);
    if (pathname === "/metrics") return measure(request, response);
    const device = devices.deviceOf(secretIn(request));
    if (!device) return say(response, 401, { error: "This device is not paired, or no longer." });
    strangers.isKnown(request.socket);
    if (pathname === "/api/events" && feed.viewers >= MOST_STREAMS)
      return say(response, 503, { error: `More than ${MOST_STREAMS} pages are open.` });
    if (pathname === "/api/events")
      return isMethod(request, response, "GET") ? stream(request, response) : undefined;
    if (pathname === "/api/act") return act(request, response, device);
    say(response, 404, { error: "There is nothing here." });
  };

  const pair = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readJson(request, response);
    if (!body) return;
    if (wrongCodes.areTooMany(request))
      return say(response, 429, { error: "Too many wrong codes. Try again in a minute." });
    const secret = devices.pair(wordIn(body.code), wordIn(body.name) || "a browser");
    if (secret !== undefined) return say(response, 200, { secret });
    wrongCodes.add(request);
    say(response, 403, { error: "This code is wrong, was used, or is older than five minutes." });
  };

  const streams = new Set<ServerResponse>();

  const stream = (request: IncomingMessage, response: ServerResponse): void => {
    streams.add(response);
    const secret = secretIn(request);
    response.writeHead(200, {
      ...SAFE_HEADERS,
      "content-type": "text/event-stream",
      "x-accel-buffering": "no",
    });
    const leave = feed.watch((event) => {
      // It may take a while until a viewer that does not read has closed.
      if (response.writableEnded) return;
      // A viewer that does not read is disconnected. It reconnects, and gets everything anew.
      if (response.writableLength > 8 * 1024 * 1024) response.destroy();
      else response.write(event);
    });
    const beat = setInterval(() => {
      if (response.writableEnded) return;
      if (devices.deviceOf(secret)) response.write(": here\n\n");
      else response.end('event: revoked\ndata: {"kind":"revoked"}\n\n');
    }, BEAT);
    response.on("close", () => {
      streams.delete(response);
      clearInterval(beat);
      leave();
    });
  };

  const act = async (request: IncomingMessage, response: ServerResponse, device: Device): Promise<void> => {
    const body = await readJson(request, response);
    if (!body) return;
    const { action, pool: record, words } = body;
    const changer =
      typeof action === "string" && Object.hasOwn(CHANGERS, action) ? CHANGERS[action] : undefined;
    if (!changer || typeof record !== "string" || !isWords(words) || words.length < changer.required.length)
      return say(response, 400, { error: "Nothing that can be done was asked for." });
    const where = `on ${device.name}`;
    try {
      const pool = await readRecord(store, record);
      // The agents of a pool are told why, and not where.
      const isUnexplained = action === "freeze" && !words[0] && !pool.run;
      const { change, done, asker } = changer.read(isUnexplained ? [where] : words, pool);
      await makeChange(store, pool.record, change, { where, to: asker ?? nameOf(pool) });
      const isResumed =
        change.kind === "answer" && change.reply !== false && isParked(pool) && goesOn(pool.id);
      say(response, 200, { done: isResumed ? `${nameOf(pool)} goes on.` : done });
    } catch (error) {
      const late = action === "answer" ? await answeredBefore(store, record, words[0] ?? "") : undefined;
      const status = error instanceof CommandError ? (error.exitCode === 2 ? 400 : 409) : 500;
      say(response, late === undefined ? status : 409, { error: late ?? messageOf(error) });
    }
    feed.look();
  };

  const server = createServer(PATIENCE, (request, response) => {
    answer(request, response).catch((error) => {
      if (!response.headersSent) say(response, 500, { error: messageOf(error) });
      else response.destroy();
    });
  });
  const strangers = new Strangers(server);
  server.maxConnections = MOST_CONNECTIONS;
  server.maxRequestsPerSocket = MOST_REQUESTS_OF_CONNECTION;
  server.timeout = silence;
  try {
    await listening(server, place);
  } catch (error) {
    await feed.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  origins = originsOf(place, port);
  return {
    address: addressOf(place, port),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      await feed.close();
      await ended([...streams]);
      server.closeAllConnections();
      await closed;
    },
  };
}

function listening(server: Server, { host, port }: Place): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
}

/** Ends streams, with all that was written. Who does not read is not waited for. */
async function ended(streams: readonly ServerResponse[]): Promise<void> {
  const over = new AbortController();
  const all = streams.map(
    (stream) => new Promise<void>((resolve) => stream.end(resolve).on("close", resolve)),
  );
  void Promise.all(all).then(() => over.abort());
  await pause(LAST_WORDS, over.signal);
}

function sendPage(response: ServerResponse, [file, type]: readonly [string, string]): void {
  const content = readFileSync(new URL(`./page/${file}`, import.meta.url));
  response.writeHead(200, { ...SAFE_HEADERS, "content-type": type }).end(content);
}

function say(response: ServerResponse, status: number, body: object): void {
  const headers = { ...SAFE_HEADERS, "content-type": "application/json; charset=utf-8" };
  response.writeHead(status, headers).end(JSON.stringify(body));
}

function isMethod(request: IncomingMessage, response: ServerResponse, method: string): boolean {
  if (request.method === method) return true;
  say(response, 405, { error: `Use ${method}.` });
  return false;
}

/** The body of a POST, which only a page of ours can send: others may not say that it is JSON. */
async function readJson(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Record<string, unknown> | undefined> {
  if (!isMethod(request, response, "POST")) return undefined;
  let text = "";
  if (request.headers["content-type"] !== "application/json") {
    say(response, 415, { error: "Use application/json." });
    return undefined;
  }
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    if (text.length <= MOST_BYTES) continue;
    say(response, 413, { error: "That is too long." });
    return undefined;
  }
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null) return body as Record<string, unknown>;
  } catch {}
  say(response, 400, { error: "That is not a JSON object." });
  return undefined;
}

function wordIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isWords(value: unknown): value is string[] {
  return Array.isArray(value) && value.length <= 2 && value.every((word) => typeof word === "string");
}
