import fc from "fast-check";
import { expect, test } from "vitest";
import { RepeatTracker } from "./RepeatTracker.ts";

test("a call that was never made was made 0 times in a row", () => {
  expect(new RepeatTracker().times({ tool: "a" })).toBe(0);
  expect(after("b b b").times({ tool: "a" })).toBe(0);
});

test.each([
  ["a", 1],
  ["a a", 2],
  ["a a a", 3],
  ["a=1 a=2", 1],
  ["a=1 a=2 a=2", 2],
  ["a=1 a=1 a=2", 1],
  ["a b", 1],
  ["a a b", 1],
  ["a b a b", 2],
  ["b a b", 1],
  ["a b a b a b", 3],
  ["a b=1 a b=2", 1],
  ["a=1 b a=2 b", 1],
  ["a b c a b c", 2],
  ["a a b a a b", 2],
  ["a a b a a b a", 2],
  ["a b c d", 1],
])("after %s, a was made %i times in a row", (calls, times) => {
  expect(after(calls).times({ tool: "a" })).toBe(times);
});

test.each([1, 2, 3, 7, 15, 16])("a cycle of %i calls is seen", (length) => {
  const tracker = new RepeatTracker();
  for (let call = 0; call < length * 4; call += 1) make(tracker, `tool ${call % length}`);
  expect(tracker.times({ tool: "tool 0" })).toBe(4);
});

test("a cycle of 17 calls is too long to be seen", () => {
  const tracker = new RepeatTracker();
  for (let call = 0; call < 17 * 4; call += 1) make(tracker, `tool ${call % 17}`);
  expect(tracker.times({ tool: "tool 0" })).toBe(0);
});

test("arguments tell calls apart, the order of their keys does not", () => {
  const tracker = new RepeatTracker();
  make(tracker, "a", { args: { x: 1, y: 2 } });
  expect(tracker.times({ tool: "a", args: { y: 2, x: 1 } })).toBe(1);
  expect(tracker.times({ tool: "a", args: { x: 1 } })).toBe(0);
});

test("calls stand in the order in which they began, whatever order their results come in", () => {
  const tracker = new RepeatTracker();
  for (const id of ["1", "2", "3"]) tracker.began({ id, tool: id === "2" ? "b" : "a" });
  for (const id of ["3", "1", "2"]) tracker.ended(id, "same");
  const straight = after("a b a");
  expect(tracker.toJSON().recent.map(({ call }) => call)).toEqual(
    straight.toJSON().recent.map(({ call }) => call),
  );
});

test("a result without an id is that of the first call without one", () => {
  const tracker = new RepeatTracker();
  tracker.began({ tool: "a" });
  tracker.began({ tool: "a" });
  tracker.ended(undefined, 1);
  tracker.ended(undefined, 2);
  expect(tracker.toJSON().recent.map(({ result }) => result)).toEqual(["1", "2"]);
});

test("a result of a call that nobody made, or that has one already, is nothing", () => {
  const tracker = new RepeatTracker();
  tracker.ended("1", "same");
  tracker.began({ id: "1", tool: "a" });
  tracker.ended("2", "same");
  tracker.ended("1", "same");
  tracker.ended("1", "other");
  expect(tracker.toJSON().recent).toHaveLength(1);
  make(tracker, "a", { result: "same" });
  expect(tracker.times({ tool: "a" })).toBe(2);
});

test("only calls whose results are known count", () => {
  const tracker = new RepeatTracker();
  tracker.began({ id: "1", tool: "a" });
  tracker.began({ id: "2", tool: "a" });
  expect(tracker.times({ tool: "a" })).toBe(0);
  tracker.ended("2", "same");
  expect(tracker.times({ tool: "a" })).toBe(0);
  tracker.ended("1", "same");
  expect(tracker.times({ tool: "a" })).toBe(2);
});

test("another call that is still under way comes between", () => {
  const tracker = after("a a a");
  tracker.began({ id: "1", tool: "b" });
  expect(tracker.times({ tool: "a" })).toBe(0);
});

test("the same call that is still under way does not", () => {
  const tracker = after("a a a");
  tracker.began({ id: "1", tool: "a" });
  expect(tracker.times({ tool: "a" })).toBe(3);
});

test("a call without a result when the turn is over is like no other, those after it count", () => {
  const tracker = after("a a");
  tracker.began({ id: "1", tool: "a" });
  tracker.began({ id: "2", tool: "a" });
  tracker.ended("2", "done");
  tracker.turnOver();
  expect(tracker.times({ tool: "a" })).toBe(1);
  tracker.ended("1", "done");
  expect(tracker.times({ tool: "a" })).toBe(1);
});

test("a call that had no result when the turn was over was not made, as far as repeats go", () => {
  const tracker = new RepeatTracker();
  tracker.began({ tool: "a" });
  tracker.turnOver();
  expect(tracker.times({ tool: "a" })).toBe(0);
});

test("a call of which nobody says what it is, and one that cannot be compared, are like no other", () => {
  const tracker = new RepeatTracker();
  for (let call = 0; call < 3; call += 1) {
    tracker.began({});
    tracker.ended(undefined, "same");
  }
  expect(tracker.times({})).toBe(0);
  make(tracker, "a", { args: 1n });
  expect(tracker.times({ tool: "a", args: 1n })).toBe(0);
  make(tracker, "b", { result: 1n });
  make(tracker, "b", { result: 1n });
  expect(tracker.times({ tool: "b" })).toBe(1);
});

test("a call that was not made again keeps its place in the row without counting", () => {
  const tracker = after("a b a b");
  tracker.skipped({ tool: "a" });
  expect(tracker.times({ tool: "b" })).toBe(2);
  tracker.skipped({ tool: "b" });
  expect(tracker.times({ tool: "a" })).toBe(2);
});

test("a new start knows nothing of before", () => {
  const tracker = after("a a a");
  tracker.began({ id: "1", tool: "a" });
  tracker.restart();
  tracker.ended("1", "done");
  expect(tracker.times({ tool: "a" })).toBe(0);
  make(tracker, "a");
  expect(tracker.times({ tool: "a" })).toBe(1);
});

test("what is remembered is plain data of a bounded size, and goes on exactly", () => {
  const calls = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(1)), { maxLength: 80, size: "max" });
  const anything = fc.property(calls, calls, (before, later) => {
    const tracker = new RepeatTracker();
    for (const [tool, result] of before) make(tracker, tool, { result });
    const text = JSON.stringify(tracker);
    const restored = RepeatTracker.from(JSON.parse(text));
    expect(text.length).toBeLessThan(1_500);
    for (const [tool, result] of later) {
      expect(restored.times({ tool })).toBe(tracker.times({ tool }));
      make(tracker, tool, { result });
      make(restored, tool, { result });
    }
    expect(restored.toJSON()).toEqual(tracker.toJSON());
  });
  fc.assert(anything);
});

test("the count is what somebody counts who looks at the whole row", () => {
  const calls = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(1)), { maxLength: 40, size: "max" });
  const anything = fc.property(calls, (row) => {
    const tracker = new RepeatTracker();
    for (const [tool, result] of row) make(tracker, tool, { result });
    for (const tool of ["a", "b", "c"]) expect(tracker.times({ tool })).toBe(counted(row, tool));
  });
  fc.assert(anything, { numRuns: 500 });
});

/** How often in a row, looked at for each length of a cycle: whole cycles at the end of the row that are the same. */
function counted(row: [string, number][], tool: string): number {
  const same = (one?: [string, number], other?: [string, number]) =>
    one !== undefined && other !== undefined && one[0] === other[0] && one[1] === other[1];
  let most = 0;
  for (let cycle = 1; cycle <= Math.min(16, row.length); cycle += 1) {
    if (row.at(-cycle)?.[0] !== tool) continue;
    let length = cycle;
    while (same(row.at(-length - 1), row.at(-length - 1 + cycle))) length += 1;
    most = Math.max(most, Math.floor(length / cycle));
  }
  return most;
}

/** A tracker that has seen these calls, each with its result: `a=1`, or `done` if it is not said. */
function after(calls: string): RepeatTracker {
  const tracker = new RepeatTracker();
  for (const call of calls.split(" ")) {
    const [tool = "", result = "done"] = call.split("=");
    make(tracker, tool, { result });
  }
  return tracker;
}

function make(
  tracker: RepeatTracker,
  tool: string,
  { args, result = "done" }: { args?: unknown; result?: unknown } = {},
): void {
  tracker.began({ tool, ...(args !== undefined && { args }) });
  tracker.ended(undefined, result);
}
