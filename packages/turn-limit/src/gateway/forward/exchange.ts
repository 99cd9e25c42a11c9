import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isPlainObject } from "../../core/checks.ts";
import type { Json } from "../protocols/protocol.ts";
import { Cancellation } from "./cancellation.ts";
import { decoded, encodingsOf } from "./decoding.ts";

/** A request, and where its answer goes. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Cancelled when the client disconnects before the response is complete. */
  readonly gone: Cancellation;
}

/** The exchange of a request that has just arrived. */
export function openExchange(request: IncomingMessage, response: ServerResponse): Exchange {
  const gone = new Cancellation();
  const { socket, httpVersion } = request;
  const clientEnded = () => {
    if (response.writableEnded) return;
    if (response.headersSent) socket.destroy();
    else if (httpVersion !== "1.0") findOutIfGone(response);
  };
  socket.once("end", clientEnded);
  response.once("close", () => {
    socket.off("end", clientEnded);
    if (!response.writableFinished) gone.cancel();
  });
  return { request, response, gone };
}

/** How long to wait before it is tried again, in milliseconds. The first attempt is answered, the second one fails. */
const SOON = 20;
const LATER = 1_000;

/**
 * A client that has closed its half of the connection waits for the answer, or has closed all of it. Only writing shows
 * which: an informational response is ignored by one that waits. The connection of one that is gone is closed by it.
 */
function findOutIfGone(response: ServerResponse, pause = SOON): void {
  if (response.headersSent || response.destroyed || !response.socket?.writable) return;
  response.writeProcessing();
  setTimeout(findOutIfGone, pause, response, LATER).unref();
}

/** Methods whose requests cost nothing. */
const READ_ONLY: ReadonlySet<string | undefined> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Headers by which some servers take another method than that of the request. */
const OTHER_METHOD = ["x-http-method-override", "x-http-method", "x-method-override"];

/** The method of a request, as servers may understand it. One that may be another is that of most requests to models. */
export function methodOf({ method, headers }: IncomingMessage): string | undefined {
  if (!READ_ONLY.has(method)) return method;
  return OTHER_METHOD.some((name) => headers[name] !== undefined) ? "POST" : method;
}

/** Does a request cost nothing, whatever its path is? */
export function isReadOnly(request: IncomingMessage): boolean {
  return READ_ONLY.has(methodOf(request));
}

/** The headers of a request. One that was sent several times is joined. */
export function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string | undefined>> {
  // Node has joined all others.
  const cookies = headers["set-cookie"];
  const joined = cookies ? { ...headers, "set-cookie": cookies.join(", ") } : headers;
  return joined as Readonly<Record<string, string | undefined>>;
}

/** How long a request's body may be, as it is sent and as it is decoded. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;

export type ReadBody =
  /** `undefined`: the request has no body. */
  | { readonly kind: "complete"; readonly bytes: Buffer | undefined }
  /** The rest is read and discarded, so that the client sees the response. */
  | { readonly kind: "too-large" }
  /** The client disconnected in the middle. */
  | { readonly kind: "gone" };

/** Reads the body of a request, byte for byte as it was sent. */
export function readBody(request: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<ReadBody> {
  const { "content-length": length, "transfer-encoding": transferEncoding } = request.headers;
  const announced = length === undefined || transferEncoding !== undefined ? undefined : Number(length);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (body: ReadBody) => {
      request.off("data", take).off("end", complete).off("close", gone);
      resolve(body);
    };
    const tooLarge = () => {
      settle({ kind: "too-large" });
      request.resume();
    };
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) return tooLarge();
      chunks.push(chunk);
      if (bytes === announced) complete();
    };
    const complete = () => {
      const [only] = chunks;
      if (length === undefined && transferEncoding === undefined)
        settle({ kind: "complete", bytes: undefined });
      else settle({ kind: "complete", bytes: chunks.length === 1 ? only : Buffer.concat(chunks, bytes) });
    };
    const gone = () => settle({ kind: "gone" });
    request.on("error", nothing);
    if (request.destroyed && !request.readableEnded) return gone();
    if (announced !== undefined && announced > maxBytes) return tooLarge();
    request.on("close", gone).on("end", complete).on("data", take);
  });
}

/** A listener that stays. One that was made where the body is read would keep the body for as long. */
function nothing(): void {}

/** A body without its encodings. `undefined`: it is longer than `maxBytes` then, or this Node does not know one of them. */
export async function decodedBody(
  body: Uint8Array,
  contentEncoding: string,
  maxBytes = MAX_BODY_BYTES,
): Promise<Uint8Array | undefined> {
  let bytes: Uint8Array | undefined = body;
  for (const encoding of encodingsOf(contentEncoding).reverse())
    bytes &&= await decoded(bytes, encoding, maxBytes);
  return bytes;
}

/** The JSON object that a decoded body is, however deeply it is nested. `undefined`: it is none. */
export function jsonOf(bytes: Uint8Array | undefined): Json | undefined {
  if (!bytes) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Answers a request with JSON. */
export function respond(
  response: ServerResponse,
  status: number,
  body: string,
  headers?: Readonly<Record<string, string>>,
): void {
  // Some clients would retry otherwise.
  response.writeHead(status, { "content-type": "application/json", "x-should-retry": "false", ...headers });
  response.end(body);
}

/** Copying more than this takes longer than it saves. */
const MAX_COPIED = 8 * 1024;

/**
 * Keeps back what is written to a socket until everything that has arrived by now is written: the end of an answer often
 * comes with its last bytes, and is then sent with them. Node tells of it one tick later.
 */
function gather(socket: Socket): void {
  socket.cork();
  process.nextTick(afterEnd, socket);
}

function afterEnd(socket: Socket): void {
  process.nextTick(release, socket);
}

function release(socket: Socket): void {
  socket.uncork();
}

/**
 * Writes to an answer. Node writes the length of a chunk, the chunk and its end as three pieces. Most of what models
 * stream is so small that it is faster to make one of them.
 *
 * @returns As `response.write`: may more be written at once?
 */
export function writeChunk(response: ServerResponse, chunk: Buffer): boolean {
  const { socket } = response;
  if (socket?.writableCorked === 0) gather(socket);
  if (!response.chunkedEncoding || chunk.length > MAX_COPIED || chunk.length === 0)
    return response.write(chunk);
  const head = `${chunk.length.toString(16)}\r\n`;
  const end = head.length + chunk.length;
  const whole = Buffer.allocUnsafe(end + 2);
  whole.write(head, 0, "latin1");
  whole.set(chunk, head.length);
  whole.write("\r\n", end, "latin1");
  // So that Node takes it as it is.
  response.chunkedEncoding = false;
  const isTaken = response.write(whole);
  response.chunkedEncoding = true;
  return isTaken;
}
