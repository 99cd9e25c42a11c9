import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { whileLocked } from "./file-lock.ts";

let folder = "";
let file = "";
let lock = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turn-limit-lock-"));
  file = join(folder, "turn-limit.json");
  lock = `${file}.lock`;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("the lock is there during the work, and gone after it, also when the work fails", () => {
  expect(whileLocked(file, () => existsSync(lock))).toBe(true);
  expect(existsSync(lock)).toBe(false);
  expect(() =>
    whileLocked(file, () => {
      throw new Error("failed");
    }),
  ).toThrow("failed");
  expect(existsSync(lock)).toBe(false);
});

test("a lock that others hold is waited for, within bounds, and left to them", () => {
  writeFileSync(lock, "theirs");
  const work = () => expect.unreachable();
  expect(() => whileLocked(file, work, 0)).toThrow(`another process is changing it, as ${lock} says`);
  expect(readFileSync(lock, "utf8")).toBe("theirs");
});

test("a lock whose process is gone is taken over", () => {
  writeFileSync(lock, "theirs");
  utimesSync(lock, 0, 0);
  expect(whileLocked(file, () => "done")).toBe("done");
  expect(existsSync(lock)).toBe(false);
});

test("who has lost the lock is told before the change counts, and leaves the lock to its new holder", () => {
  expect(() =>
    whileLocked(file, (assertHeld) => {
      assertHeld();
      writeFileSync(lock, "theirs");
      assertHeld();
    }),
  ).toThrow("another process has changed it meanwhile");
  expect(readFileSync(lock, "utf8")).toBe("theirs");
});
