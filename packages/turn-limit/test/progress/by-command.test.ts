import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { progressByCommand } from "../../src/progress/index.ts";
import { Run } from "../../src/run/run.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turn-limit-progress-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What a run of one turn a round is extended for, in which `work` is done in each turn. */
async function extended(command: string, work: (turn: number) => void, turns = 3): Promise<unknown[]> {
  const progress = progressByCommand(command, { folder });
  const run = new Run({ turns: { max: 1, extend: 9, onExhausted: "stop" }, progress });
  run.begin();
  const found: unknown[] = [];
  for (let n = 1; n <= turns; n += 1) {
    const turn = await run.nextTurn();
    if (n > 1) found.push(turn.kind === "stop" ? false : run.view.standings[0]?.extended?.what);
    if (turn.kind === "stop") break;
    work(n);
    turn.answered();
  }
  return found;
}

test("a command that the shell does not find is no progress, and that is said", async () => {
  const told: string[] = [];
  const progress = progressByCommand("no-such-command", { folder });
  const run = new Run({
    turns: { max: 1, extend: 9, onExhausted: "stop" },
    progress,
    onWarning: (message) => told.push(message),
  });
  run.begin();
  const turn = await run.nextTurn();
  if (turn.kind !== "stop") turn.answered();
  expect((await run.nextTurn()).kind).toBe("stop");
  expect(told).toEqual([
    'progress threw: Error: "no-such-command" ended with exit code 127: a command in it cannot be run. It is taken for no progress.',
  ]);
});

const write = (text: string) => writeFileSync(join(folder, "said"), text);

test("exit code 0 is progress, and any other is none", async () => {
  expect(await extended("true", () => {}, 2)).toEqual(["true succeeded"]);
  expect(await extended("echo all is well; exit 3", () => {}, 2)).toEqual([false]);
});

test("a number in the last line is progress where it is above any before it in the run", async () => {
  write("running\n5\n");
  const numbers = ["", "7", "7.5"];
  expect(await extended("cat said", (n) => write(`tests\n${numbers[n] ?? "7.5"}\n`), 4)).toEqual([
    ...["7, up from 5", "7.5, up from 7", false],
  ]);
});

test("a number that falls and rises again, but not above what it was, is no progress", async () => {
  write("5");
  expect(await extended("cat said", () => write("4"))).toEqual([false]);
  expect(await extended("cat said; exit 1", () => write("6"), 2)).toEqual(["6, up from 4"]);
});

test("it runs where the agent works: once before the first turn, and at each boundary", async () => {
  write("0");
  await extended('echo "$PWD" >> log; wc -l < log', () => {}, 3);
  expect(readFileSync(join(folder, "log"), "utf8").split("\n").length - 1).toBe(3);
});

test("one that is no longer waited for is ended, with all that it started", async () => {
  const signal = new AbortController();
  const progress = progressByCommand("sleep 1000 & echo $! > child; echo > started; wait", { folder });
  const run = new Run({ turns: { max: 1, extend: 1 }, progress });
  run.begin();
  const turn = run.nextTurn({ signal: signal.signal });
  await expect.poll(() => existsSync(join(folder, "started"))).toBe(true);
  signal.abort();
  expect(await turn).toMatchObject({ kind: "stop" });
  const child = Number(readFileSync(join(folder, "child"), "utf8"));
  await expect.poll(() => isThere(child)).toBe(false);
});

// One that is dead and whose parent has not noticed yet is not there either.
function isThere(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
