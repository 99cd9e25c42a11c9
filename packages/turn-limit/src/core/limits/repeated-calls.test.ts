import fc from "fast-check";
import { expect, test } from "vitest";
import { fingerprint } from "./fingerprint.ts";
import { CallRow, type StepCall } from "./repeated-calls.ts";

const print = ({ tool, args }: StepCall) => (tool === undefined ? null : (fingerprint([tool, args]) ?? null));

test("a call that was never made was made 0 times in a row", () => {
  expect(new CallRow(print).times({ tool: "a" }).times).toBe(0);
  expect(after("b b b").times({ tool: "a" }).times).toBe(0);
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
  expect(after(calls).times({ tool: "a" }).times).toBe(times);
});

test.each([1, 2, 3, 7, 15, 16])("a cycle of %i calls is seen", (length) => {
  const row = new CallRow(print);
  for (let call = 0; call < length * 4; call += 1) make(row, `tool ${call % length}`);
  expect(row.times({ tool: "tool 0" }).times).toBe(4);
});

test("a cycle of 17 calls is too long to be seen", () => {
  const row = new CallRow(print);
  for (let call = 0; call < 17 * 4; call += 1) make(row, `tool ${call % 17}`);
  expect(row.times({ tool: "tool 0" }).times).toBe(0);
});

test("arguments tell calls apart, the order of their keys does not", () => {
  const row = new CallRow(print);
  make(row, "a", { args: { x: 1, y: 2 } });
  expect(row.times({ tool: "a", args: { y: 2, x: 1 } }).times).toBe(1);
  expect(row.times({ tool: "a", args: { x: 1 } }).times).toBe(0);
});

test("calls stand in the order in which they began, whatever order their results come in", () => {
  const row = new CallRow(print);
  for (const id of ["1", "2", "3"]) row.began({ id, tool: id === "2" ? "b" : "a" });
  for (const id of ["3", "1", "2"]) row.ended(id, "same");
  const straight = after("a b a");
  expect(row.toState().recent.map(({ call }) => call)).toEqual(
    straight.toState().recent.map(({ call }) => call),
  );
});

test("a result without an id is that of the first call without one", () => {
  const row = new CallRow(print);
  row.began({ tool: "a" });
  row.began({ tool: "a" });
  row.ended(undefined, 1);
  row.ended(undefined, 2);
  expect(row.toState().recent.map(({ result }) => result)).toEqual(["1", "2"]);
});

test("a result of a call that nobody made, or that has one already, is nothing", () => {
  const row = new CallRow(print);
  row.ended("1", "same");
  row.began({ id: "1", tool: "a" });
  row.ended("2", "same");
  row.ended("1", "same");
  row.ended("1", "other");
  expect(row.toState().recent).toHaveLength(1);
  make(row, "a", { result: "same" });
  expect(row.times({ tool: "a" }).times).toBe(2);
});

test("only calls whose results are known count", () => {
  const row = new CallRow(print);
  row.began({ id: "1", tool: "a" });
  row.began({ id: "2", tool: "a" });
  expect(row.times({ tool: "a" }).times).toBe(0);
  row.ended("2", "same");
  expect(row.times({ tool: "a" }).times).toBe(1);
  row.ended("1", "same");
  expect(row.times({ tool: "a" }).times).toBe(2);
});

test("another call that is still under way comes between", () => {
  const row = after("a a a");
  row.began({ id: "1", tool: "b" });
  expect(row.times({ tool: "a" }).times).toBe(0);
});

test("the same call that is still under way does not", () => {
  const row = after("a a a");
  row.began({ id: "1", tool: "a" });
  expect(row.times({ tool: "a" }).times).toBe(3);
});

test("a call without a result when the turn is over is like no other, those after it count", () => {
  const row = after("a a");
  row.began({ id: "1", tool: "a" });
  row.began({ id: "2", tool: "a" });
  row.ended("2", "done");
  row.turnBegins();
  expect(row.times({ tool: "a" }).times).toBe(1);
  row.ended("1", "done");
  expect(row.times({ tool: "a" }).times).toBe(1);
});

test("a call that had no result when the turn was over was not made, as far as repeats go", () => {
  const row = new CallRow(print);
  row.began({ tool: "a" });
  row.turnBegins();
  expect(row.times({ tool: "a" }).times).toBe(0);
});

test("a call of which nobody says what it is, and one that cannot be compared, are like no other", () => {
  const row = new CallRow(print);
  for (let call = 0; call < 3; call += 1) {
    row.began({});
    row.ended(undefined, "same");
  }
  expect(row.times({}).times).toBe(0);
  make(row, "a", { args: 1n });
  expect(row.times({ tool: "a", args: 1n }).times).toBe(0);
  make(row, "b", { result: 1n });
  make(row, "b", { result: 1n });
  expect(row.times({ tool: "b" }).times).toBe(1);
});

test("a call that was not made again keeps its place in the row without counting", () => {
  const row = after("a b a b");
  row.skipped({ tool: "a" });
  expect(row.times({ tool: "b" }).times).toBe(2);
  row.skipped({ tool: "b" });
  expect(row.times({ tool: "a" }).times).toBe(2);
});

test("calls nested in one that is under way count among themselves", () => {
  const row = new CallRow(print);
  row.began({ id: "outer", tool: "batch" });
  expect(row.times({ tool: "a" }).times).toBe(0);
  for (let call = 1; call <= 5; call += 1) {
    row.began({ id: `${call}`, tool: "a" });
    row.ended(`${call}`, "done");
    expect(row.times({ tool: "a" }).times).toBe(call);
  }
  row.ended("outer", "done");
  expect([row.times({ tool: "batch" }).times, row.times({ tool: "a" }).times]).toEqual([1, 5]);
});

test("the same batch of nested calls again and again is a cycle, too", () => {
  const row = new CallRow(print);
  for (let batch = 0; batch < 3; batch += 1) {
    row.began({ id: "outer", tool: "batch" });
    for (const tool of ["a", "b"]) {
      row.began({ id: tool, tool });
      row.ended(tool, "done");
    }
    row.ended("outer", "done");
  }
  expect(row.times({ tool: "batch" }).times).toBe(3);
});

test("a nested call that must not be made again stays one that was made so often, however often it is tried", () => {
  const row = new CallRow(print);
  row.began({ id: "outer", tool: "batch" });
  for (const id of ["1", "2"]) {
    row.began({ id, tool: "a" });
    row.ended(id, "done");
  }
  for (let attempt = 0; attempt < 50; attempt += 1) {
    row.skipped({ tool: "a" });
    expect(row.times({ tool: "a" }).times).toBe(2);
  }
});

test("however many calls are nested in one, each is counted", () => {
  const row = new CallRow(print);
  row.began({ id: "outer", tool: "batch" });
  for (let call = 1; call <= 100; call += 1) {
    row.began({ id: `${call}`, tool: "a" });
    row.ended(`${call}`, "done");
    expect(row.times({ tool: "a" }).times).toBe(call);
  }
});

test.each(["outer first", "all at once", "one after the other"])(
  "16,000 calls within one, %s, are remembered in a bounded size",
  (order) => {
    const row = new CallRow(print);
    row.began({ id: "outer", tool: "batch" });
    const ids = Array.from({ length: 16_000 }, (_, index) => `${index}`);
    for (const id of ids) {
      row.began({ id, tool: `tool ${Number(id) % 3}` });
      if (order === "one after the other") row.ended(id, "done");
    }
    if (order === "outer first") row.ended("outer", "done");
    if (order !== "one after the other") for (const id of ids.slice(0, 200)) row.ended(id, "done");
    row.turnBegins();
    expect(JSON.stringify(row.toState()).length).toBeLessThan(3_000);
  },
);

test("16,000 nested calls are remembered in a bounded size while the call around them is under way", () => {
  const row = new CallRow(print);
  row.began({ id: "outer", tool: "batch" });
  for (let call = 0; call < 16_000; call += 1) {
    row.began({ id: `${call}`, tool: "a", args: { call } });
    row.ended(`${call}`, "done");
  }
  expect(JSON.stringify(row.toState()).length).toBeLessThan(6_000);
});

test("an answer that is thrown away takes its calls with it: the row is as it was when the turn began", () => {
  const row = after("a a");
  row.turnBegins();
  make(row, "b");
  row.began({ id: "1", tool: "c" });
  row.turnDiscarded();
  expect(row.times({ tool: "a" }).times).toBe(2);
  row.ended("1", "done");
  make(row, "a");
  expect(row.times({ tool: "a" }).times).toBe(3);
  row.turnDiscarded();
  expect(row.times({ tool: "a" }).times).toBe(2);
});

test("what is remembered is plain data of a bounded size, and goes on exactly", () => {
  const calls = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(1)), { maxLength: 80, size: "max" });
  const anything = fc.property(calls, calls, (before, later) => {
    const row = new CallRow(print);
    for (const [tool, result] of before) make(row, tool, { result });
    const text = JSON.stringify(row.toState());
    const restored = new CallRow(print, JSON.parse(text));
    expect(text.length).toBeLessThan(3_000);
    for (const [tool, result] of later) {
      expect(restored.times({ tool }).times).toBe(row.times({ tool }).times);
      make(row, tool, { result });
      make(restored, tool, { result });
    }
    expect(restored.toState()).toEqual(row.toState());
  });
  fc.assert(anything);
});

test("the count is what somebody counts who looks at the whole row", () => {
  const calls = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(1)), { maxLength: 40, size: "max" });
  const anything = fc.property(calls, (made) => {
    const row = new CallRow(print);
    for (const [tool, result] of made) make(row, tool, { result });
    for (const tool of ["a", "b", "c"]) expect(row.times({ tool }).times).toBe(counted(made, tool));
  });
  fc.assert(anything, { numRuns: 200 });
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

/** A row that has seen these calls, each with its result: `a=1`, or `done` if it is not said. */
function after(calls: string): CallRow {
  const row = new CallRow(print);
  for (const call of calls.split(" ")) {
    const [tool = "", result = "done"] = call.split("=");
    make(row, tool, { result });
  }
  return row;
}

function make(
  row: CallRow,
  tool: string,
  { args, result = "done" }: { args?: unknown; result?: unknown } = {},
): void {
  row.began({ tool, ...(args !== undefined && { args }) });
  row.ended(undefined, result);
}
