import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

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
