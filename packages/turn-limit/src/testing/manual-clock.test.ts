import { expect, test } from "vitest";
import { ManualClock } from "./manual-clock.ts";

test("timers go off in the order of their times, each at its own, also those that are set meanwhile", () => {
  const clock = new ManualClock(1_000);
  const seen: [string, number][] = [];
  const see = (name: string) => () => void seen.push([name, clock.now()]);
  clock.after(300, see("late"));
  clock.after(100, () => {
    see("early")();
    clock.after(100, see("between"));
  });
  clock.after(200, see("cancelled"))();
  clock.after(501, see("not yet"));
  clock.pass(500);
  expect(seen).toEqual([
    ["early", 1_100],
    ["between", 1_200],
    ["late", 1_300],
  ]);
  expect([clock.now(), clock.timers]).toEqual([1_500, 1]);
});

test("a call that hangs lets the time pass after everything else", async () => {
  const clock = new ManualClock();
  const seen: string[] = [];
  clock.after(100, () => void seen.push("time is up"));
  void clock.hang(100);
  await Promise.resolve().then(() => seen.push("other work"));
  await new Promise(setImmediate);
  expect(seen).toEqual(["other work", "time is up"]);
});
