import { expect, test } from "vitest";
import { createProgressBar } from "./progress-bar.ts";

const GIGABYTE = 2 ** 30;

function drawnOn(isTTY: boolean, readings: readonly [at: number, done: number, all: number][]): string[] {
  const written: string[] = [];
  const stream = { isTTY, write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream;
  let now = 0;
  const bar = createProgressBar(stream, () => now);
  for (const [at, done, all] of readings) {
    now = at;
    bar.show(done, all);
  }
  bar.clear();
  return written;
}

test("a large history has a bar, drawn ten times a second at most, and cleared at the end", () => {
  const half = GIGABYTE / 2;
  expect(
    drawnOn(true, [
      [0, half, GIGABYTE],
      [50, half, GIGABYTE],
      [100, GIGABYTE + 1, GIGABYTE],
    ]),
  ).toEqual([
    `\r${"█".repeat(20)}${" ".repeat(20)} 512 of 1024 MB\x1b[K`,
    `\r${"█".repeat(40)} 1024 of 1024 MB\x1b[K`,
    "\r\x1b[K",
  ]);
});

test("a small history, and a stream that is no terminal, have none", () => {
  expect(drawnOn(true, [[0, 1, 1_000]])).toEqual([]);
  expect(drawnOn(false, [[0, 1, GIGABYTE]])).toEqual([]);
});
