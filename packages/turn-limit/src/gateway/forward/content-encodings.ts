import type { Transform } from "node:stream";
import * as zlib from "node:zlib";

/** Node has zstd since 22.15. */
const hasZstd = typeof zlib.createZstdDecompress === "function";

/** The encodings of a header `Content-Encoding`, in the order in which they were applied. */
export function encodingsOf(header: string | undefined): string[] {
  const names = (header ?? "").split(",").map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== "" && name !== "identity");
}

/**
 * Decodes one encoding. What comes before a cut is decoded too. `undefined`: this Node does not know the encoding.
 *
 * @param first The first encoded byte: some senders mean by `deflate` the bare form, without a zlib header.
 */
export function decoderOf(encoding: string, first: number): Transform | undefined {
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
