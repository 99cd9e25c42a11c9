import type { Readable } from "node:stream";

/** Collects the text of a stream, and returns what has come so far. */
export function collect(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString("utf8");
}
