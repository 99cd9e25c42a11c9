import { expect, test } from "vitest";
import { whyRefused } from "../../test/runs.ts";
import { nothingSpent, type Spent } from "../governor/Spent.ts";
import { costLimit } from "./CostLimit.ts";
import {
  allOf,
  anyOf,
  boundaryOf,
  type CustomLimit,
  leavesOf,
  nameOf,
  requireLimit,
  standingsOf,
} from "./Limit.ts";
import { timeLimit } from "./TimeLimit.ts";
import { tokenLimit } from "./TokenLimit.ts";
import { toolLimit } from "./ToolLimit.ts";

const turns: CustomLimit = { name: "turns of mine", max: 3, used: (spent) => spent.turns };
const steps: CustomLimit = { name: "work", max: 5, used: (spent) => spent.steps };

const IN_WORDS: Record<string, string> = {
  some: "at least one limit",
  "a count": "a whole number from 0 on",
  "a count or none": 'a whole number from 0 on, or "unlimited"',
  "an amount": "a number from 0 on",
  "an amount or none": 'a number from 0 on, or "unlimited"',
};

test.each([
  [0, undefined],
  [2, undefined],
  [3, 3],
  [4, 4],
])("a limit of 3 with %i used is at its boundary: %s", (used, at) => {
  const boundary = at === undefined ? undefined : { limit: "turns of mine", used: at, max: 3 };
  expect(boundaryOf(turns, spent({ turns: used }))).toEqual(boundary);
});

test("a limit of 0 is always at its boundary, an unlimited one never", () => {
  expect(boundaryOf({ ...turns, max: 0 }, spent({}))).toMatchObject({ used: 0, max: 0 });
  expect(boundaryOf({ ...turns, max: "unlimited" }, spent({ turns: 1e9 }))).toBeUndefined();
});

test("another maximum can be granted, or none", () => {
  const seven = spent({ turns: 7 });
  expect(boundaryOf(turns, seven, { granted: 8 })).toBeUndefined();
  expect(boundaryOf(turns, seven, { granted: 7 })).toEqual({ limit: "turns of mine", used: 7, max: 7 });
  expect(boundaryOf(turns, seven, { granted: "unlimited" })).toBeUndefined();
  expect(boundaryOf({ ...turns, max: "unlimited" }, seven, { granted: 7 })).toMatchObject({ max: 7 });
});

test("what is kept back counts as used, and is not reported", () => {
  expect(boundaryOf(turns, spent({ turns: 1 }), { kept: 1 })).toBeUndefined();
  expect(boundaryOf(turns, spent({ turns: 2 }), { kept: 1 })).toMatchObject({ used: 2, max: 3 });
});

test("any of several is reached by the first of them that is", () => {
  const either = anyOf([turns, steps]);
  expect(boundaryOf(either, spent({ turns: 2, steps: 4 }))).toBeUndefined();
  expect(boundaryOf(either, spent({ turns: 2, steps: 5 }))).toMatchObject({ limit: "work" });
  expect(boundaryOf(either, spent({ turns: 3, steps: 5 }))).toMatchObject({ limit: "turns of mine" });
});

test("all of several are reached together, and reported as the first", () => {
  const both = allOf([steps, turns]);
  expect(boundaryOf(both, spent({ turns: 3, steps: 4 }))).toBeUndefined();
  expect(boundaryOf(both, spent({ turns: 2, steps: 5 }))).toBeUndefined();
  expect(boundaryOf(both, spent({ turns: 3, steps: 5 }))).toMatchObject({ limit: "work" });
});

test("all of several with one that is unlimited are never reached", () => {
  const both = allOf([turns, { ...steps, max: "unlimited" }]);
  expect(boundaryOf(both, spent({ turns: 9, steps: 9 }))).toBeUndefined();
});

test("groups hold groups", () => {
  const nested = allOf([turns, anyOf([steps, tokenLimit(100)])]);
  expect(boundaryOf(nested, spent({ turns: 3 }))).toBeUndefined();
  expect(boundaryOf(nested, spent({ turns: 3, input: 100 }))).toMatchObject({ limit: "turns of mine" });
  expect(boundaryOf(anyOf([nested]), spent({ turns: 3, steps: 5 }))).toMatchObject({
    limit: "turns of mine",
  });
});

test("a group is called by its limits, and each of them stands for itself", () => {
  const group = anyOf([allOf([turns, steps]), tokenLimit(9)]);
  expect(nameOf(group)).toBe("turns of mine and work or tokens");
  expect(leavesOf(group).map(({ name }) => name)).toEqual(["turns of mine", "work", "tokens"]);
  expect(standingsOf(group, spent({ turns: 1, steps: 2, output: 3 }))).toEqual([
    { limit: "turns of mine", used: 1, max: 3 },
    { limit: "work", used: 2, max: 5 },
    { limit: "tokens", used: 3, max: 9 },
  ]);
});

test("what a group is granted shows in each of its limits", () => {
  expect(standingsOf(anyOf([turns, steps]), spent({}), "unlimited").map(({ max }) => max)).toEqual([
    "unlimited",
    "unlimited",
  ]);
});

test.each<[string, CustomLimit, Partial<Spent>, number]>([
  ["tokens", tokenLimit(1), { input: 1, output: 2, cacheRead: 4, cacheWrite: 8 }, 3],
  ["cost", costLimit(1), { cost: 0.25 }, 0.25],
  ["time", timeLimit(1), { time: 250 }, 250],
  ["tools.bash", toolLimit("bash", 1), { calls: { bash: 2, read: 3 } }, 2],
  ["tools.constructor", toolLimit("constructor", 1), {}, 0],
])("%s are what the package measures by that name", (name, limit, what, used) => {
  expect(standingsOf(limit, spent(what))).toEqual([{ limit: name, used, max: 1 }]);
});

test("a limit may be given as a number or with its policy, and is unlimited if nothing is said", () => {
  expect(tokenLimit({ max: 5, onExhausted: "stop" })).toMatchObject({ max: 5, onExhausted: "stop" });
  const limits = [tokenLimit({}), costLimit({}), timeLimit({}), toolLimit("bash", {})];
  expect(limits.map(({ max }) => max)).toEqual(new Array(4).fill("unlimited"));
  expect(costLimit(5).unpriced).toBe("warn");
});

test.each<[string, unknown, string, () => unknown]>([
  ["turns of mine.max", -1, "an amount or none", () => requireLimit({ ...turns, max: -1 })],
  ["turns of mine.reserve", Number.NaN, "an amount", () => requireLimit({ ...turns, reserve: Number.NaN })],
  ["tokens.max", 1.5, "a count or none", () => tokenLimit(1.5)],
  ["tokens.reserve", 1.5, "a count", () => tokenLimit({ max: 5, reserve: 1.5 })],
  ["cost.max", -5, "an amount or none", () => costLimit(-5)],
  ["time.max", Number.NaN, "an amount or none", () => timeLimit(Number.NaN)],
  ["tools.bash.max", 0.5, "a count or none", () => toolLimit("bash", 0.5)],
  ["anyOf", "[]", "some", () => anyOf([])],
  ["allOf", "[]", "some", () => allOf([])],
  ["anyOf", "[]", "some", () => anyOf([], { onExhausted: "stop" })],
  ["work.max", -2, "an amount or none", () => allOf([turns, { ...steps, max: -2 }])],
])("%s of %j is refused: it must be %s", (setting, value, allowed, make) => {
  expect(whyRefused(make)).toMatchObject({ setting, value, allowed: IN_WORDS[allowed] });
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, "5", undefined])(
  "a limit that says %s is used is an error, and not one that is never reached",
  (used) => {
    const broken: CustomLimit = { name: "broken", max: 5, used: () => used as number };
    expect(whyRefused(() => boundaryOf(broken, spent({})))).toMatchObject({
      setting: "broken.used",
      value: used,
    });
    expect(whyRefused(() => boundaryOf(allOf([broken]), spent({})))).toMatchObject({
      setting: "broken.used",
    });
  },
);

function spent(some: Partial<Spent>): Spent {
  return { ...nothingSpent(), ...some };
}
