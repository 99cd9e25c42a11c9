import type { ServerResponse } from "node:http";

/** Copying more than this takes longer than it saves. */
const MAX_COPIED = 8 * 1024;

/**
 * Writes to an answer. Node writes the length of a chunk, the chunk and its end as three pieces. Most of what models
 * stream is so small that it is faster to make one of them.
 *
 * @returns As `response.write`: may more be written at once?
 */
export function writeChunk(response: ServerResponse, chunk: Buffer): boolean {
  if (!response.chunkedEncoding || chunk.length > MAX_COPIED || chunk.length === 0)
    return response.write(chunk);
  const head = `${chunk.length.toString(16)}\r\n`;
  const end = head.length + chunk.length;
  const whole = Buffer.allocUnsafe(end + 2);
  whole.write(head, 0, "latin1");
  whole.set(chunk, head.length);
  whole[end] = 0x0d;
  whole[end + 1] = 0x0a;
  // So that Node takes it as it is.
  response.chunkedEncoding = false;
  const isTaken = response.write(whole);
  response.chunkedEncoding = true;
  return isTaken;
}
