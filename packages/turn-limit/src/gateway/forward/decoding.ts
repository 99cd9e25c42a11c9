import type { Transform } from "node:stream";
import * as zlib from "node:zlib";

/** Node has zstd since 22.15. */
const hasZstd = typeof zlib.createZstdDecompress === "function";

/** The encodings of a header `Content-Encoding`, in the order in which they were applied. */
export function encodingsOf(header = ""): string[] {
  if (header === "") return [];
  const names = header.split(",").map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== "" && name !== "identity");
}

/**
 * Decodes one encoding. What comes before a cut is decoded too. `undefined`: this Node does not know the encoding.
 *
 * @param first The first encoded byte: some senders mean by `deflate` the bare form, without a zlib header.
 */
function decoderOf(encoding: string, first = 0): Transform | undefined {
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return zlib.createGunzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH });
    case "deflate": {
      const options = { finishFlush: zlib.constants.Z_SYNC_FLUSH };
      return (first & 0x0f) === 8 ? zlib.createInflate(options) : zlib.createInflateRaw(options);
    }
    case "br":
      return zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH });
    case "zstd":
      return hasZstd ? zlib.createZstdDecompress({ finishFlush: zlib.constants.ZSTD_e_flush }) : undefined;
    default:
      return undefined;
  }
}

/** The decoded bytes. `undefined`: they are damaged, more than `maxBytes`, or in an encoding that is not known. */
export async function decoded(
  bytes: Uint8Array,
  encoding: string,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const decoder = decoderOf(encoding, bytes[0]);
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

/** How many bytes may wait to be decoded. Decoding is faster than networks, so this is hardly ever reached. */
const MAX_WAITING = 8 * 1024 * 1024;

/** Passes a decoded copy of an answer to a reader. */
export interface DecodedCopy {
  push(chunk: Uint8Array): void;
  /** No more bytes follow. `done` is called when the reader has got everything that could be decoded. */
  end(done: () => void): void;
}

/**
 * A decoded copy of an answer for `reader`. Pushing never waits. An encoding that is damaged, not known
 * here, applied twice, or that cannot be decoded fast enough ends the copy, and nothing else. `undefined`: the answer itself is
 * not encoded.
 */
export function decodedCopy(
  contentEncoding: string | undefined,
  reader: (chunk: Uint8Array) => void,
): DecodedCopy | undefined {
  const [encoding, another] = encodingsOf(contentEncoding);
  if (encoding === undefined) return undefined;
  if (another !== undefined) return { push() {}, end: (done) => done() };
  let hasBegun = false;
  let decoder: Transform | undefined;
  const begin = (first: number | undefined) => {
    hasBegun = true;
    decoder = decoderOf(encoding, first);
    decoder?.on("data", reader).on("error", () => {});
  };
  return {
    push(chunk) {
      if (!hasBegun) begin(chunk[0]);
      if (!decoder || decoder.destroyed) return;
      if (decoder.writableLength > MAX_WAITING) decoder.destroy();
      else decoder.write(chunk);
    },
    end(done) {
      if (!decoder || decoder.closed) return done();
      decoder.once("close", done);
      decoder.end();
    },
  };
}
