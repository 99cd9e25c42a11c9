import type { Transform } from "node:stream";
import { decoderOf, encodingsOf } from "./content-encodings.ts";

/** How many bytes may wait to be decoded. Decoding is faster than networks, so this is hardly ever reached. */
const MAX_WAITING = 8 * 1024 * 1024;

/** Takes the bytes of an answer and gives a copy of them to a reader, decoded. */
export interface DecodedCopy {
  push(chunk: Uint8Array): void;
  /** No more bytes follow. `done` is called when the reader has got everything that could be decoded. */
  end(done: () => void): void;
}

/**
 * A decoded copy of an answer for `reader`. Whoever pushes never has to wait. An encoding that is damaged, not known
 * here, applied twice, or that cannot be decoded as fast as it comes ends the copy, and nothing else.
 */
export function decodedCopy(
  contentEncoding: string | undefined,
  reader: (chunk: Uint8Array) => void,
): DecodedCopy {
  const [encoding, another] = encodingsOf(contentEncoding);
  if (encoding === undefined) return { push: reader, end: (done) => done() };
  if (another !== undefined) return { push() {}, end: (done) => done() };
  return new Decoding(encoding, reader);
}

class Decoding implements DecodedCopy {
  readonly #encoding: string;
  readonly #reader: (chunk: Uint8Array) => void;
  #decoder: Transform | undefined;
  #hasBegun = false;

  constructor(encoding: string, reader: (chunk: Uint8Array) => void) {
    this.#encoding = encoding;
    this.#reader = reader;
  }

  push(chunk: Uint8Array): void {
    if (!this.#hasBegun) this.#begin(chunk[0] ?? 0);
    const decoder = this.#decoder;
    if (!decoder || decoder.destroyed) return;
    if (decoder.writableLength > MAX_WAITING) decoder.destroy();
    else decoder.write(chunk);
  }

  end(done: () => void): void {
    const decoder = this.#decoder;
    if (!decoder || decoder.closed) {
      done();
    } else {
      decoder.once("close", done);
      decoder.end();
    }
  }

  #begin(first: number): void {
    this.#hasBegun = true;
    this.#decoder = decoderOf(this.#encoding, first);
    this.#decoder?.on("data", this.#reader).on("error", () => {});
  }
}
