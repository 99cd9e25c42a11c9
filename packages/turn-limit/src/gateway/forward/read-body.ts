import type { IncomingMessage } from "node:http";
import type { Json } from "../protocols/protocol.ts";
import { decoderOf, encodingsOf } from "./decoding.ts";

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
    if (Number(length) > maxBytes) return tooLarge();
    request.on("close", gone).on("end", complete).on("data", take);
  });
}

/** A listener that stays. One that was made where the body is read would keep the body for as long. */
function nothing(): void {}

/** The maximum depth of objects and lists: more than any agent needs, and safe for recursive functions. */
const MAX_DEPTH = 500;

/**
 * The JSON object that a body is. `undefined`: it is none, or nested too deeply, or longer than `maxBytes` when it is
 * decoded, or in an encoding that this Node does not know.
 */
export async function jsonOf(
  body: Uint8Array | undefined,
  contentEncoding: string | undefined,
  maxBytes = MAX_BODY_BYTES,
): Promise<Json | undefined> {
  let bytes = body;
  for (const encoding of encodingsOf(contentEncoding).reverse())
    bytes &&= await decoded(bytes, encoding, maxBytes);
  if (!bytes) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject && isWithin(MAX_DEPTH, value) ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}

function isWithin(depth: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((part) => isWithin(depth - 1, part));
}

async function decoded(bytes: Uint8Array, encoding: string, maxBytes: number): Promise<Buffer | undefined> {
  const decoder = decoderOf(encoding, bytes[0] ?? 0);
  if (!decoder) return undefined;
  decoder.end(bytes);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of decoder) {
      length += chunk.length;
      // Leaving the loop destroys the decoder.
      if (length > maxBytes) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks, length);
}
