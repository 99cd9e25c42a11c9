import { expect, test } from "vitest";
import { callsBetween, Difference, Meter, usageBetween } from "./meter.ts";

const CENTS = { input: 1, output: 0, cost: 0.1 };

function started(): { meter: Meter; since: Difference } {
  const meter = new Meter();
  return { meter, since: sinceNow(meter) };
}

function sinceNow(meter: Meter): Difference {
  return new Difference(meter.read(), meter.current);
}

test("what is used since a moment is read at the moment of reading", () => {
  const { meter, since } = started();
  meter.turn("turn");
  meter.answer("turn", { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: 0.5 });
  meter.call("call", "bash");
  const later = sinceNow(meter);
  meter.turn("turn");
  expect([since.turns, later.turns]).toEqual([2, 1]);
  expect(since.toJSON()).toEqual({
    turns: 2,
    requests: 2,
    steps: 1,
    time: 0,
    input: 1,
    output: 2,
    cacheRead: 3,
    cacheWrite: 4,
    cost: 0.5,
    calls: { bash: 1 },
  });
});

test("eight times $0.10 are $0.80, and so are they late in a long session", () => {
  const { meter, since } = started();
  for (let request = 0; request < 8; request += 1) meter.answer("turn", CENTS);
  expect(since.cost).toBe(0.8);
  for (let request = 0; request < 100_000; request += 1) meter.answer("turn", { ...CENTS, cost: 0.17 });
  const late = sinceNow(meter);
  for (let request = 1; request <= 30; request += 1) {
    meter.answer("turn", CENTS);
    expect(late.cost).toBe(request / 10);
  }
});

test.each([4e-10, 1e-12, 3e-17])("answers of $%d add up, also beside a large amount", (cost) => {
  for (const before of [0, 1_000_000]) {
    const { meter } = started();
    meter.answer("turn", { ...CENTS, cost: before });
    const since = sinceNow(meter);
    for (let request = 0; request < 1_000; request += 1) meter.answer("turn", { ...CENTS, cost });
    expect(since.cost / (cost * 1_000)).toBeCloseTo(1, 6);
  }
});

test("a clock that is set back takes no time away", () => {
  const { meter, since } = started();
  for (const now of [1_000, 5_000, 2_000, 4_000]) meter.timeIs(now, "turn");
  expect(since.time).toBe(6_000);
});

test("time passes only in what time counts for", () => {
  const { meter, since } = started();
  meter.timeIs(0, "turn");
  meter.timeIs(10, undefined);
  meter.timeIs(30, "waiting");
  meter.timeIs(60, "retry");
  expect(since.time).toBe(30);
});

test("calls by tool look like a plain object that cannot be changed, with the tools that were called and no others", () => {
  const meter = new Meter();
  meter.call("call", "early");
  const before = meter.read();
  const since = new Difference(before, meter.current);
  for (const tool of ["bash", "bash", "constructor", "__proto__"]) meter.call("call", tool);
  meter.call("refusal", "read");
  const { calls } = since;
  expect(Object.entries(calls).sort()).toEqual([
    ["__proto__", 1],
    ["bash", 2],
    ["constructor", 1],
  ]);
  expect([calls.bash, calls.read, calls.early, calls.toString]).toEqual([2, undefined, undefined, undefined]);
  expect([
    "bash" in calls,
    "read" in calls,
    Object.hasOwn(calls, "bash"),
    Object.hasOwn(calls, "read"),
  ]).toEqual([true, false, true, false]);
  expect(() => Object.assign(calls, { bash: 0 })).toThrow(TypeError);
  expect(JSON.parse(JSON.stringify({ ...calls }))).toMatchObject({ bash: 2 });
  expect(["bash", "read", "early"].map((tool) => callsBetween(before, meter.current, tool))).toEqual([
    2, 0, 0,
  ]);
});

test("whoever wants to know is told when the time, or the calls by tool, are read, and of nothing else", () => {
  const meter = new Meter();
  const read: string[] = [];
  const since = new Difference(meter.read(), meter.current, (part) => read.push(part));
  expect([since.turns, since.steps, since.input, since.cost, read]).toEqual([0, 0, 0, 0, []]);
  expect([since.time, since.calls.bash, read]).toEqual([0, undefined, ["time", "calls"]]);
});

test("what was used cannot be changed from outside", () => {
  const { since } = started();
  for (const part of ["turns", "time", "calls"])
    expect(() => Object.assign(since, { [part]: 0 })).toThrow(TypeError);
});

test("usage is what was reported between two readings, and none if nothing was", () => {
  const meter = new Meter();
  meter.answer("turn", { input: 9, output: 9, cacheRead: 9, cost: 9 });
  const before = meter.read();
  meter.turn("turn");
  expect(usageBetween(before, meter.current)).toBeUndefined();
  meter.answer("turn", { input: 1, output: 2 });
  expect(usageBetween(before, meter.current)).toEqual({ input: 1, output: 2 });
  meter.answer("compaction", { input: 1, output: 2, cacheWrite: 3, cost: 0.5 });
  expect(usageBetween(before, meter.current)).toEqual({ input: 2, output: 4, cacheWrite: 3, cost: 0.5 });
});

test("what has no price is known, unless it took nothing", () => {
  const meter = new Meter();
  meter.answer("turn", CENTS);
  meter.answer("turn", { input: 0, output: 0 });
  expect(meter.current).toMatchObject({ reports: 2, priced: 1, unpriced: 0 });
  meter.answer("turn", { input: 0, output: 0, cacheRead: 1 });
  meter.priceUnknown();
  expect(meter.current).toMatchObject({ reports: 3, priced: 1, unpriced: 2 });
});

test("10,000 tools make no call slower: what is known of the others is not copied", () => {
  const meter = new Meter();
  for (let tool = 0; tool < 10_000; tool += 1) meter.call("call", `tool ${tool}`);
  const { calls } = meter.current;
  for (let call = 0; call < 100; call += 1) meter.call("call", `tool ${call}`);
  expect(meter.current.calls).toBe(calls);
});

test("a reading is not changed by what comes after it, and its calls are copied at most once", () => {
  const meter = new Meter();
  meter.turn("turn");
  meter.call("call", "bash");
  const readings = [meter.read(), meter.read()];
  expect(readings[0]?.calls).toBe(readings[1]?.calls);
  meter.turn("turn");
  meter.call("call", "bash");
  const { calls } = meter.current;
  meter.call("call", "bash");
  expect(meter.current.calls).toBe(calls);
  expect([readings[0]?.calls.bash, meter.current.calls.bash]).toEqual([1, 3]);
  expect([readings[0]?.turns, meter.current.turns]).toEqual([1, 2]);
});

test("a meter goes on where its state left off, and shares nothing with it", () => {
  const { meter } = started();
  expect(meter.knowsTime).toBe(false);
  meter.timeIs(5, "turn");
  meter.turn("turn");
  meter.answer("turn", CENTS);
  for (const tool of ["__proto__", "constructor"]) meter.call("call", tool);
  const state = JSON.parse(JSON.stringify(meter.toState()));
  const again = new Meter(state);
  expect([again.toState(), again.knowsTime]).toEqual([meter.toState(), true]);
  again.timeIs(7, "turn");
  again.call("call", "__proto__");
  expect(Object.entries(again.current.calls)).toEqual([
    ["__proto__", 2],
    ["constructor", 1],
  ]);
  expect([again.current.time, state]).toEqual([2, JSON.parse(JSON.stringify(meter.toState()))]);
});
