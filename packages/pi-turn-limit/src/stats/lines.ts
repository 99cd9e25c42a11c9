import { createReadStream } from "node:fs";

const NEWLINE = 0x0a;
const LONGEST_LINE = 64 * 2 ** 20;

/** What is read of a file at a time. */
export interface LinesRead {
  lines: string[];
  /** How many lines were too long to be held in memory. */
  tooLong: number;
  bytes: number;
}

/** Reads a file line by line, and never holds more than a chunk and one line in memory. */
export async function* readLines(
  path: string,
  { signal, longest = LONGEST_LINE }: { signal?: AbortSignal | undefined; longest?: number } = {},
): AsyncGenerator<LinesRead> {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  let tooLong = 0;

  const hold = (piece: Buffer) => {
    begunBytes += piece.length;
    if (begunBytes <= longest) begun.push(piece);
    else begun = [];
  };
  const finish = (): string => {
    const line = Buffer.concat(begun).toString("utf8");
    if (begunBytes > longest) tooLong += 1;
    begun = [];
    begunBytes = 0;
    return line;
  };

  for await (const chunk of createReadStream(path, { signal, highWaterMark: 256 * 1024 })) {
    const bytes = chunk as Buffer;
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      hold(bytes.subarray(start, end));
      lines.push(finish());
      start = end + 1;
    }
    hold(bytes.subarray(start));
    yield { lines, tooLong, bytes: bytes.length };
    tooLong = 0;
  }
  const lines = [finish()];
  yield { lines, tooLong, bytes: 0 };
}
