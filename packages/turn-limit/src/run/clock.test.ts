import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { systemClock } from "./clock.ts";
import { Run } from "./run.ts";

const DAY = 24 * 60 * 60 * 1_000;

afterEach(() => void vi.useRealTimers());

test("the system's clock tells the time, and its timers can be cancelled, however long they are", async () => {
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1_000);
  const called: string[] = [];
  const cancels = [1, 1e12].map((ms) => systemClock.after(ms, () => void called.push(`${ms}`)));
  await sleep(20);
  for (const cancel of cancels) cancel();
  systemClock.after(1, () => void called.push("cancelled"))();
  await sleep(20);
  expect(called).toEqual(["1"]);
});

test("its timers do not keep a process alive", () => {
  const alive = () => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
  const before = alive();
  const cancel = systemClock.after(1_000, () => {});
  expect(alive()).toBe(before);
  cancel();
});

test("a time limit may be longer than the longest timer of the system", async () => {
  vi.useFakeTimers();
  const run = new Run({ time: 30 * DAY });
  run.begin();
  await run.nextTurn();
  vi.advanceTimersByTime(30 * DAY - 1);
  expect(run.turn.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(run.turn.signal.aborted).toBe(true);
});
