import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sessionsFolder } from "../../test/stats-history.ts";
import { readLines } from "./lines.ts";

async function read(text: string, longest?: number): Promise<{ lines: string[]; tooLong: number }> {
  await using folder = await sessionsFolder();
  const file = join(folder.path, "file");
  await writeFile(file, text);
  const all: { lines: string[]; tooLong: number } = { lines: [], tooLong: 0 };
  for await (const { lines, tooLong } of readLines(file, longest === undefined ? {} : { longest })) {
    all.lines.push(...lines.filter((line) => line !== ""));
    all.tooLong += tooLong;
  }
  return all;
}

test("lines are whole, however long, and whichever characters are in them", async () => {
  const lines = Array.from({ length: 40 }, (_, index) => `${index}${"ä€🙂".repeat(index * 1_000)}`);
  expect(await read(lines.join("\n"))).toEqual({ lines, tooLong: 0 });
});

test("a line that is too long to be held is left out and counted", async () => {
  const long = "x".repeat(1_000_000);
  const { lines, tooLong } = await read(`one\n${long}\ntwo\n${long}`, 999_999);
  expect({ lines, tooLong }).toEqual({ lines: ["one", "two"], tooLong: 2 });
});
