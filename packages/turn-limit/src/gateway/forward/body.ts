import type { IncomingMessage } from "node:http";
import { isPlainObject } from "../../core/checks.ts";
import type { Json } from "../protocols/protocol.ts";
import { decoded, encodingsOf } from "./decoding.ts";

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
  return new Promise((resolve) => new BodyReader(request as ReadRequest, maxBytes, resolve).begin());
}

/** Under this, a request knows who reads it: listeners of its own would be four functions for each request. */
const READER = Symbol("reader");
type ReadRequest = IncomingMessage & { [READER]?: BodyReader | undefined };

class BodyReader {
  readonly #request: ReadRequest;
  readonly #maxBytes: number;
  readonly #resolve: (body: ReadBody) => void;
  /** The length that was announced. A chunked body has none. */
  readonly #announced: number | undefined;
  readonly #hasBody: boolean;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(request: ReadRequest, maxBytes: number, resolve: (body: ReadBody) => void) {
    const { "content-length": length, "transfer-encoding": transferEncoding } = request.headers;
    this.#request = request;
    this.#maxBytes = maxBytes;
    this.#resolve = resolve;
    this.#hasBody = length !== undefined || transferEncoding !== undefined;
    this.#announced = length === undefined || transferEncoding !== undefined ? undefined : Number(length);
  }

  begin(): void {
    const request = this.#request;
    request[READER] = this;
    request.on("error", nothing);
    if (request.destroyed && !request.readableEnded) this.gone();
    else if (this.#announced !== undefined && this.#announced > this.#maxBytes) this.#tooLarge();
    else request.on("close", closed).on("end", ended).on("data", took);
  }

  take(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#chunks.push(chunk);
    if (this.#bytes > this.#maxBytes) this.#tooLarge();
    else if (this.#bytes === this.#announced) this.complete();
  }

  complete(): void {
    const chunks = this.#chunks;
    const whole = () => (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, this.#bytes));
    this.#settle({ kind: "complete", bytes: this.#hasBody ? whole() : undefined });
  }

  gone(): void {
    this.#settle({ kind: "gone" });
  }

  #tooLarge(): void {
    this.#settle({ kind: "too-large" });
    this.#request.resume();
  }

  // The body is not kept for as long as its request.
  #settle(body: ReadBody): void {
    this.#request[READER] = undefined;
    this.#resolve(body);
  }
}

function took(this: ReadRequest, chunk: Buffer): void {
  this[READER]?.take(chunk);
}

function ended(this: ReadRequest): void {
  this[READER]?.complete();
}

function closed(this: ReadRequest): void {
  this[READER]?.gone();
}

/** Whatever is wrong with a request closes it. */
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
