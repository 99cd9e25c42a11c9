import type { Readable } from "node:stream";

/** Keeps what a stream says, and gives all of it so far when asked. */
export function collect(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString("utf8");
}
