import fc from "fast-check";
import { expect, test } from "vitest";
import type { LimitIdentity } from "../limits/boundary.ts";
import { kindOf } from "../limits/kinds.ts";
import { Meter, type Totals } from "../meter/meter.ts";
import { chosenMaximum, isOfRuns, MOST_RUNS, maximumWithoutRuns } from "./chosen-maximum.ts";
import { countsAs, type PastRun, pastRun } from "./past-run.ts";

const NOTHING: Totals = new Meter().read();
const TURNS: LimitIdentity = { kind: "turns" };

const run = (took: Partial<Totals>, end: PastRun["end"] = "finished"): PastRun => ({
  end,
  took: { ...NOTHING, ...took },
});
const finished = (...turns: number[]) => turns.map((count) => run({ turns: count }));
const limited = (...turns: number[]) => turns.map((count) => run({ turns: count }, "limited"));
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const repeated = (count: number, turns: number) => new Array<number>(count).fill(turns);

test("until there are enough runs the default holds, and no more than what is set beside the percentile", () => {
  expect(maximumWithoutRuns(25, {})).toBe(25);
  expect(maximumWithoutRuns(25, { upTo: 50 })).toBe(25);
  expect(maximumWithoutRuns(25, { upTo: 10 })).toBe(10);
  expect(maximumWithoutRuns("unlimited", { upTo: 5 })).toBe(5);
  expect(maximumWithoutRuns("unlimited", {})).toBe("unlimited");
});

test("a percentile covers so many of a hundred finished runs [ChosenFromHistory]", () => {
  const runs = finished(...upTo(100));
  for (const of of [1, 50, 75, 90, 99])
    expect(chosenMaximum(runs, TURNS, { of })).toEqual({ max: of, runs: 100 });
  expect(chosenMaximum(finished(...upTo(20)), TURNS, { of: 90 })).toEqual({ max: 18, runs: 20 });
});

test("19 finished runs are too few, however many were ended by a limit [ChosenFromHistory]", () => {
  const few = [...finished(...upTo(19)), ...limited(...repeated(100, 5))];
  expect(chosenMaximum(few, TURNS, { of: 90 })).toEqual({ finished: 19 });
  expect(chosenMaximum([], TURNS, { of: 90 })).toEqual({ finished: 0 });
});

test("it is never above what was set beside it", () => {
  const runs = finished(...upTo(100));
  expect(chosenMaximum(runs, TURNS, { of: 90, upTo: 50 })).toEqual({ max: 50, runs: 100, uncapped: 90 });
  expect(chosenMaximum(runs, TURNS, { of: 40, upTo: 50 })).toEqual({ max: 40, runs: 100 });
});

test("a run that a limit ended would have taken more: what it took does not lower the percentile [EndedRunsTookMore]", () => {
  // Ten of a hundred runs were ended at 10 turns. Of what is known beyond that, runs take up to 90.
  const runs = [...finished(...upTo(90)), ...limited(...repeated(10, 10))];
  const left = chosenMaximum(finished(...upTo(90)), TURNS, { of: 90 });
  const asIfFinished = chosenMaximum([...finished(...upTo(90)), ...finished(...repeated(10, 10))], TURNS, {
    of: 90,
  });
  const chosen = chosenMaximum(runs, TURNS, { of: 90 });
  expect(asIfFinished).toMatchObject({ max: 80 });
  expect(left).toMatchObject({ max: 81 });
  expect(chosen).toEqual({ max: 82, runs: 100 });
});

test("limits that are chosen again and again from the runs that they end do not drift down [EndedRunsTookMore]", () => {
  let random = 42;
  const next = () => {
    random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
    return 1 + (random % 100);
  };
  const history = finished(...Array.from({ length: 200 }, next));
  const limits: number[] = [];
  for (let round = 0; round < 50; round += 1) {
    const choice = chosenMaximum(history, TURNS, { of: 90 });
    const max = "max" in choice ? choice.max : 0;
    limits.push(max);
    for (let n = 0; n < 20; n += 1) {
      const needs = next();
      history.push(...(needs <= max ? finished(needs) : limited(max)));
    }
  }
  expect(Math.min(...limits)).toBeGreaterThanOrEqual(80);
  expect(Math.max(...limits)).toBeLessThanOrEqual(100);
});

test("where limits ended too many runs, it is as much as any took, and that is said", () => {
  const runs = [...finished(...upTo(24)), ...limited(...repeated(16, 25))];
  expect(chosenMaximum(runs, TURNS, { of: 90 })).toEqual({ max: 25, runs: 40, isAtLeast: true });
  expect(chosenMaximum(runs, TURNS, { of: 50 })).toEqual({ max: 20, runs: 40 });
});

test("every kind of limit reads its own amount of a run, in round numbers", () => {
  const took: Totals = {
    ...NOTHING,
    ...{ turns: 7, requests: 9, steps: 12, time: 61_234, input: 12_345, output: 678 },
    ...{ cacheRead: 50_000, cacheWrite: 2_000, cost: 0.1234, calls: { bash: 5 } },
  };
  const runs = new Array<PastRun>(20).fill({ end: "finished", took });
  const max = (identity: LimitIdentity, options = {}) =>
    chosenMaximum(runs, identity, { of: 90 }, options) as { max: number };
  expect(max({ kind: "turns" }).max).toBe(7);
  expect(max({ kind: "requests" }).max).toBe(9);
  expect(max({ kind: "steps" }).max).toBe(12);
  expect(max({ kind: "tokens" }).max).toBe(14_000);
  expect(max({ kind: "tokens" }, { cacheReads: true, cacheWrites: true }).max).toBe(66_000);
  expect(max({ kind: "cost" }).max).toBe(0.13);
  expect(max({ kind: "time" }).max).toBe(62_000);
  expect(max({ kind: "tools", tool: "bash" }).max).toBe(5);
  expect(max({ kind: "tools", tool: "read" }).max).toBe(1);
});

test("a run whose cost or tokens are not known says nothing of them", () => {
  const runs = [...upTo(20).map((cents) => run({ cost: cents / 100 })), ...finished(...repeated(50, 3))];
  expect(chosenMaximum(runs, { kind: "cost" }, { of: 50 })).toEqual({ max: 0.1, runs: 20 });
  expect(chosenMaximum(runs, { kind: "tokens" }, { of: 50 })).toEqual({ finished: 0 });
});

test("only the last runs count", () => {
  const runs = [...finished(...repeated(1_000, 90)), ...finished(...repeated(MOST_RUNS, 4))];
  expect(chosenMaximum(runs, TURNS, { of: 99 })).toEqual({ max: 4, runs: MOST_RUNS });
});

test("for a period, a pool and repeats nothing is chosen", () => {
  expect(isOfRuns({ kind: "turns" })).toBe(true);
  expect(isOfRuns({ kind: "tools", tool: "bash" })).toBe(true);
  for (const identity of [
    { kind: "turns", per: "day" },
    { kind: "turns", pool: "research" },
    { kind: "repeats" },
    { kind: "custom" },
    { kind: "stop" },
  ] as const)
    expect(isOfRuns(identity), JSON.stringify(identity)).toBe(false);
});

test("a higher percentile never chooses less, and none is more than the longest run", () => {
  const some = fc.array(fc.tuple(fc.integer({ min: 1, max: 200 }), fc.boolean()), { minLength: 40 });
  fc.assert(
    fc.property(some, fc.integer({ min: 1, max: 98 }), (list, of) => {
      const runs = list.flatMap(([turns, isFinished]) => (isFinished ? finished(turns) : limited(turns)));
      const [one, more] = [of, of + 1].map((share) => chosenMaximum(runs, TURNS, { of: share }));
      if (!one || !more || !("max" in one) || !("max" in more)) return;
      expect(more.max).toBeGreaterThanOrEqual(one.max);
      expect(more.max).toBeLessThanOrEqual(Math.max(...list.map(([turns]) => turns)));
    }),
  );
});

test("how a run counts follows from why it ended", () => {
  const byTurns = { identity: TURNS };
  expect(countsAs({ kind: "completed" })).toBe("finished");
  expect(countsAs({ kind: "wrapped-up", ...byTurns })).toBe("limited");
  expect(countsAs({ kind: "salvaged", ...byTurns })).toBe("limited");
  expect(countsAs({ kind: "stopped", ...byTurns })).toBe("limited");
  expect(countsAs({ kind: "declined", ...byTurns })).toBe("limited");
  expect(countsAs({ kind: "stopped", identity: { kind: "cost", per: "day" } })).toBe("limited");
  for (const kind of ["aborted", "failed", "limit-overrun"] as const)
    expect(countsAs({ kind, ...byTurns }), kind).toBeUndefined();
  for (const kind of ["repeats", "stop", "freeze", "store", "custom"] as const)
    expect(countsAs({ kind: "stopped", identity: { kind } }), kind).toBeUndefined();
  expect(kindOf({ kind: "repeats" })).toBeDefined();
});

test.each([
  undefined,
  null,
  [],
  {},
  { end: "finished" },
  { end: "done", took: NOTHING },
  { end: "finished", took: { ...NOTHING, turns: -1 } },
  { end: "finished", took: { ...NOTHING, cost: null } },
  { end: "finished", took: { ...NOTHING, cost: Number.NaN } },
  { end: "finished", took: { ...NOTHING, calls: { bash: "5" } } },
  { end: "finished", took: { ...NOTHING, calls: undefined } },
])("a damaged record of a run is none: %j", (value) => {
  expect(pastRun(value)).toBeUndefined();
  expect(pastRun({ end: "limited", took: NOTHING, other: 1 })).toEqual({ end: "limited", took: NOTHING });
});
