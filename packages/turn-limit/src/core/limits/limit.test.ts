import { expect, test } from "vitest";
import { named } from "../../../test/helpers/named.ts";
import { whyRefused } from "../../../test/helpers/runs.ts";
import { Meter, type Reading, type Totals } from "../meter/meter.ts";
import type { Boundary, Max } from "./boundary.ts";
import { costLimit, timeLimit, tokenLimit, toolLimit } from "./kinds.ts";
import {
  type AllOf,
  type AnyOf,
  allOf,
  anyOf,
  type CheckedLimit,
  type CustomLimit,
  type Limit,
  requireLimit,
  type SingleLimit,
  singlesOf,
} from "./limit.ts";
import { boundaryOf, standingsOf } from "./limit-standing.ts";

const turns: CustomLimit = { name: "turns of mine", max: 3, used: (totals) => totals.turns };
const steps: CustomLimit = { name: "work", max: 5, used: (totals) => totals.steps };

const IN_WORDS: Record<string, string> = {
  some: "a list of at least one limit",
  "a count": "a whole number of 0 or more",
  "a count or none": 'a whole number of 0 or more, or "unlimited"',
  "an amount": "a number of 0 or more",
  "an amount or none": 'a number of 0 or more, or "unlimited"',
};

test.each([
  [0, undefined],
  [2, undefined],
  [3, 3],
  [4, 4],
])("a limit of 3 with %i used is at its boundary: %s", (used, at) => {
  const boundary = at === undefined ? undefined : { ...named("turns of mine"), used: at, max: 3 };
  expect(boundaryIn(turns, { turns: used })).toEqual(boundary);
});

test("a limit of 0 is always at its boundary, an unlimited one never", () => {
  expect(boundaryIn({ ...turns, max: 0 }, {})).toMatchObject({ used: 0, max: 0 });
  expect(boundaryIn({ ...turns, max: "unlimited" }, { turns: 1e9 })).toBeUndefined();
});

test("another maximum can be granted, or none", () => {
  const seven = { turns: 7 };
  expect(boundaryIn(turns, seven, 8)).toBeUndefined();
  expect(boundaryIn(turns, seven, 7)).toEqual({ ...named("turns of mine"), used: 7, max: 7 });
  expect(boundaryIn(turns, seven, "unlimited")).toBeUndefined();
  expect(boundaryIn({ ...turns, max: "unlimited" }, seven, 7)).toMatchObject({ max: 7 });
});

test("what was used before the round began does not count", () => {
  const before = reading({ turns: 5 });
  expect(boundaryOf(checked(turns), before, reading({ turns: 7 }))).toBeUndefined();
  expect(boundaryOf(checked(turns), before, reading({ turns: 8 }))).toMatchObject({ used: 3, max: 3 });
});

test("a limit that does not apply has no boundary", () => {
  expect(boundaryIn(turns, { turns: 3 }, null, ({ before }) => before === "step")).toBeUndefined();
  expect(boundaryIn(turns, { turns: 3 }, null, ({ before }) => before === "turn")).toMatchObject({ used: 3 });
});

test("any of several is reached by the first of them that is", () => {
  const either = anyOf([turns, steps]);
  expect(boundaryIn(either, { turns: 2, steps: 4 })).toBeUndefined();
  expect(boundaryIn(either, { turns: 2, steps: 5 })).toMatchObject({ limit: "work" });
  expect(boundaryIn(either, { turns: 3, steps: 5 })).toMatchObject({ limit: "turns of mine" });
});

test("all of several are reached together, and reported as the first", () => {
  const both = allOf([steps, turns]);
  expect(boundaryIn(both, { turns: 3, steps: 4 })).toBeUndefined();
  expect(boundaryIn(both, { turns: 2, steps: 5 })).toBeUndefined();
  expect(boundaryIn(both, { turns: 3, steps: 5 })).toMatchObject({ limit: "work" });
});

test("all of several with one that is unlimited are never reached", () => {
  const both = allOf([turns, { ...steps, max: "unlimited" }]);
  expect(boundaryIn(both, { turns: 9, steps: 9 })).toBeUndefined();
});

test("of any of several only those that apply matter; all of several are asked as soon as one applies", () => {
  const all = { turns: 3, steps: 5 };
  const isCalled = (name: string) => (single: SingleLimit) => single.name === name;
  expect(boundaryIn(anyOf([turns, steps]), all, null, isCalled("work"))).toMatchObject({ limit: "work" });
  expect(boundaryIn(anyOf([turns, steps]), { turns: 3 }, null, isCalled("work"))).toBeUndefined();
  expect(boundaryIn(allOf([turns, steps]), all, null, isCalled("work"))).toMatchObject({
    ...named("turns of mine"),
  });
  expect(boundaryIn(allOf([turns, steps]), all, null, isCalled("another"))).toBeUndefined();
});

test("what a limit of one's own reads is what it needs to be told, as soon as it reads it", () => {
  const slow: CustomLimit = { ...turns, used: (totals) => (totals.turns > 1 ? totals.time : 0) };
  const needs = (limit: CustomLimit, some: Partial<Totals>) => {
    const [single] = singlesOf(checked(limit)) as [SingleLimit];
    single.usedBetween(reading({}), reading(some));
    return [single.needs?.("time"), single.needs?.("calls")];
  };
  expect(needs(turns, { turns: 2 })).toEqual([false, false]);
  expect(needs(slow, { turns: 1 })).toEqual([false, false]);
  expect(needs(slow, { turns: 2 })).toEqual([true, false]);
  expect(needs({ ...turns, used: ({ calls }) => calls.bash ?? 0 }, {})).toEqual([false, true]);
  expect(needs({ ...turns, tool: "bash" }, {})).toEqual([false, true]);
});

test("groups hold groups", () => {
  const nested = allOf([turns, anyOf([steps, tokenLimit(100)])]);
  expect(boundaryIn(nested, { turns: 3 })).toBeUndefined();
  expect(boundaryIn(nested, { turns: 3, input: 100 })).toMatchObject({ limit: "turns of mine" });
  expect(boundaryIn(anyOf([nested]), { turns: 3, steps: 5 })).toMatchObject({ limit: "turns of mine" });
});

test("a group is called by its limits, and each of them stands for itself", () => {
  const group = checked(anyOf([allOf([turns, steps]), tokenLimit(9)]));
  expect(group.name).toBe("turns of mine and work or tokens");
  expect(singlesOf(group).map(({ name }) => name)).toEqual(["turns of mine", "work", "tokens"]);
  expect(standings(group, { turns: 1, steps: 2, output: 3 })).toEqual([
    { ...named("turns of mine"), used: 1, max: 3 },
    { ...named("work"), used: 2, max: 5 },
    { ...named("tokens"), used: 3, max: 9 },
  ]);
});

test("what a group is granted shows in each of its limits", () => {
  const granted = standings(anyOf([turns, steps]), {}, "unlimited");
  expect(granted.map(({ max }) => max)).toEqual(["unlimited", "unlimited"]);
});

test("a limit says where it stands as data, with its defaults filled in", () => {
  expect(requireLimit(turns, "")).toEqual({
    name: "turns of mine",
    identity: { kind: "custom" },
    max: 3,
    usedBetween: expect.any(Function),
    needs: expect.any(Function),
    before: "turn",
    tool: undefined,
    reserve: 0,
    onExhausted: "ask",
    headless: "stop",
    extend: 0,
    extendBy: 0,
  });
  expect(requireLimit({ ...steps, tool: "bash" }, "")).toMatchObject({ before: "step", tool: "bash" });
});

test("a limit may measure by a method of its own", () => {
  const mine = {
    name: "mine",
    max: 10,
    factor: 2,
    used(totals: Totals): number {
      return totals.turns * this.factor;
    },
  };
  const { factor: _, ...limit } = mine;
  expect(whyRefused(() => requireLimit(mine, "limits[0]"))).toMatchObject({ setting: "mine.factor" });
  const bound = { ...limit, used: mine.used.bind(mine) };
  expect(standings(bound, { turns: 4 })).toEqual([{ ...named("mine"), used: 8, max: 10 }]);
});

test.each<[string, unknown, string, () => unknown]>([
  ["turns of mine.max", -1, "an amount or none", () => requireLimit({ ...turns, max: -1 }, "")],
  ["turns of mine.max", undefined, "an amount or none", () => requireLimit({ ...turns, max: undefined }, "")],
  [
    "turns of mine.reserve",
    Number.NaN,
    "an amount",
    () => requireLimit({ ...turns, reserve: Number.NaN }, ""),
  ],
  ["tokens.max", 1.5, "a count or none", () => tokenLimit(1.5)],
  ["tokens.reserve", 1.5, "a count", () => tokenLimit({ max: 5, reserve: 1.5 })],
  ["cost.max", -5, "an amount or none", () => costLimit(-5)],
  ["time.max", Number.NaN, "an amount or none", () => timeLimit(Number.NaN)],
  ["tools.bash.max", 0.5, "a count or none", () => toolLimit("bash", 0.5)],
  ["anyOf", [], "some", () => anyOf([])],
  ["allOf", [], "some", () => allOf([])],
  ["anyOf", [], "some", () => anyOf([], { onExhausted: "stop" })],
  ["anyOf", "tokens", "some", () => anyOf("tokens" as unknown as Limit[])],
  ["allOf[1].anyOf", [], "some", () => allOf([turns, { anyOf: [] }])],
  ["work.max", -2, "an amount or none", () => allOf([turns, { ...steps, max: -2 }])],
])("%s of %j is refused: it must be %s", (setting, value, allowed, make) => {
  expect(whyRefused(make)).toMatchObject({ setting, value, allowed: IN_WORDS[allowed] });
});

test.each<[string, unknown, string]>([
  ["unknown `before`", { ...turns, before: "call" }, "turns of mine.before"],
  ["no `before`", { ...turns, before: null }, "turns of mine.before"],
  ["no tool", { ...turns, tool: null }, "turns of mine.tool"],
  ["a tool that is no name", { ...turns, tool: 5 }, "turns of mine.tool"],
  ["a tool, but before turns", { ...turns, tool: "bash", before: "turn" }, "turns of mine.before"],
  ["no name", { ...turns, name: undefined }, "limits[0].name"],
  ["an empty name", { ...turns, name: "" }, "limits[0].name"],
  ["no function", { ...turns, used: 5 }, "turns of mine.used"],
  ["a policy that does not exist", { ...turns, onExhausted: "explode" }, "turns of mine.onExhausted"],
  ["to refuse turns", { ...turns, onExhausted: "refuse" }, "turns of mine.onExhausted"],
  ["to refuse turns where nobody is", { ...turns, headless: "refuse" }, "turns of mine.headless"],
  ["to ask where nobody is", { ...turns, headless: "ask" }, "turns of mine.headless"],
  ["a field that does not exist", { ...turns, maximum: 5 }, "turns of mine.maximum"],
  ["a field of the price", { ...turns, unpriced: "warn" }, "turns of mine.unpriced"],
  ["nothing", null, "limits[0]"],
  ["a number", 5, "limits[0]"],
  ["a list", [turns], "limits[0]"],
  ["a map", new Map(), "limits[0]"],
  ["a group with a name", { name: "both", anyOf: [turns] }, "limits[0].name"],
  ["a group with a maximum", { anyOf: [turns], max: 5 }, "limits[0].max"],
  ["any and all", { anyOf: [turns], allOf: [steps] }, "limits[0].allOf"],
  ["all and any", { allOf: [turns], anyOf: [steps] }, "limits[0].allOf"],
  ["a group of no limits", { anyOf: [5] }, "limits[0].anyOf[0]"],
  ["a group with a reserve in it", { anyOf: [{ ...turns, reserve: 1 }] }, "turns of mine.reserve"],
  ["a group that is to refuse turns", { anyOf: [turns], onExhausted: "refuse" }, "turns of mine.onExhausted"],
])("a limit with %s is refused by the name of what is wrong", (_what, limit, setting) => {
  expect(whyRefused(() => requireLimit(limit, "limits[0]"))).toMatchObject({ setting });
});

test.each([
  "turns",
  "requests",
  "steps",
  "tokens",
  "cost",
  "time",
  "tools",
  "repeats",
  "tools.x",
  "tools.",
  "tools.a.b",
])("a limit of one's own cannot be called %s: that name is built in", (name) => {
  for (const limit of [
    { ...turns, name },
    { anyOf: [{ ...turns, name }] },
    { allOf: [steps, { ...turns, name }] },
  ])
    expect(whyRefused(() => requireLimit(limit, "limits[0]"))).toMatchObject({
      setting: expect.stringMatching(/^limits\[0\].*name$/),
      value: name,
    });
});

test("a built-in limit that was tampered with has no built-in name any more", () => {
  const tampered = { ...tokenLimit(5), used: () => 0 };
  expect(whyRefused(() => requireLimit(tampered, "limits[0]"))).toMatchObject({ setting: "limits[0].name" });
});

test("limits of calls alone can be to refuse, in a group, too", () => {
  const group = anyOf([toolLimit("bash", 1), { ...steps, before: "step" }], { onExhausted: "refuse" });
  expect(group.onExhausted).toBe("refuse");
});

test("a limit that was given is not changed by whoever gave it", () => {
  const mine = { ...turns };
  const members = [mine, steps];
  const group = anyOf(members);
  Object.assign(mine, { max: 99, onExhausted: "refuse" });
  members.length = 0;
  expect(standings(group, {}).map(({ max }) => max)).toEqual([3, 5]);
  for (const change of [
    () => Object.assign(group, { onExhausted: "refuse" }),
    () => (group.anyOf as Limit[]).pop(),
    () => Object.assign((group.anyOf as Limit[])[0] as object, { max: 99 }),
    () => Object.assign(tokenLimit(5), { max: 99 }),
  ])
    expect(change).toThrow(TypeError);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, "5", undefined])(
  "a limit that says %s is used is an error, and not one that is never reached",
  (used) => {
    const broken: CustomLimit = { name: "broken", max: 5, used: () => used as number };
    for (const limit of [broken, allOf([broken])])
      expect(whyRefused(() => boundaryIn(limit, {}))).toMatchObject({ setting: "broken.used", value: used });
  },
);

function reading(some: Partial<Totals>): Reading {
  return { ...new Meter().read(), ...some };
}

function checked(limit: Limit | AnyOf | AllOf): CheckedLimit {
  return requireLimit(limit, "limit");
}

function boundaryIn(
  limit: Limit,
  some: Partial<Totals>,
  granted: Max | null = null,
  applies?: (limit: SingleLimit) => boolean,
): Boundary | undefined {
  return boundaryOf(checked(limit), reading({}), reading(some), applies, granted);
}

function standings(
  limit: Limit | CheckedLimit,
  some: Partial<Totals>,
  granted: Max | null = null,
): Boundary[] {
  return standingsOf(checked(limit as Limit), reading({}), reading(some), granted);
}
