import { expect, test } from "vitest";
import { named } from "../../../test/helpers/named.ts";
import { whyRefused } from "../../../test/helpers/runs.ts";
import { createGovernor } from "../governor/governor.ts";
import type { GovernorSettings } from "../governor/settings.ts";
import { Meter } from "../meter/meter.ts";
import type { LimitIdentity } from "./boundary.ts";
import { builtIn, costLimit, KINDS, kindOf, timeLimit, tokenLimit, toolLimit } from "./kinds.ts";
import type { SingleLimit } from "./limit.ts";
import { standingsOf } from "./limit-standing.ts";

test("each kind of limit has its policy, and what it does where nobody can be asked", () => {
  const defaults = Object.entries(KINDS).map(([name, kind]) => {
    const { max, onExhausted, headless } = kind.check(undefined, name);
    return [name, max, onExhausted, headless];
  });
  expect(defaults).toEqual([
    ["steps", "unlimited", "raise", "stop"],
    ["turns", 25, "ask", "stop"],
    ["requests", "unlimited", "ask", "stop"],
    ["tokens", "unlimited", "ask", "stop"],
    ["cost", "unlimited", "ask", "stop"],
    ["time", "unlimited", "ask", "stop"],
    ["tools", "unlimited", "ask", "refuse"],
    ["repeats", "unlimited", "ask", "stop"],
  ]);
});

test("the types of a limit before turns do not offer to refuse, for only a tool call can be refused", () => {
  const settings: GovernorSettings[] = [
    { steps: { onExhausted: "refuse" }, tools: { bash: { max: 1, headless: "refuse" } } },
    // @ts-expect-error A turn cannot be refused.
    { turns: { onExhausted: "refuse" } },
    // @ts-expect-error
    { cost: { max: 1, headless: "refuse" } },
    // @ts-expect-error
    { tokens: { max: 1, onExhausted: "refuse" } },
    // @ts-expect-error
    { time: { max: 1, onExhausted: "refuse" } },
  ];
  const [ofCalls, ...ofTurns] = settings;
  expect(createGovernor(ofCalls).view.settings.steps.onExhausted).toBe("refuse");
  for (const given of ofTurns) expect(whyRefused(() => createGovernor(given)).value).toBe("refuse");
});

test.each<[string, SingleLimit, number]>([
  ["tokens", tokenLimit(1), 3],
  ["tokens", tokenLimit({ max: 1, cacheReads: true }), 7],
  ["tokens", tokenLimit({ max: 1, cacheWrites: true }), 11],
  ["cost", costLimit(1), 0.25],
  ["time", timeLimit(1), 250],
  ["tools.bash", toolLimit("bash", 1), 2],
  ["tools.constructor", toolLimit("constructor", 1), 0],
  ["tools.__proto__", toolLimit("__proto__", 1), 0],
])("%s are what the package measures by that name", (name, limit, used) => {
  const meter = new Meter();
  const since = meter.read();
  meter.timeIs(0, "turn");
  meter.timeIs(250, "turn");
  meter.answer("turn", { input: 1, output: 2, cacheRead: 4, cacheWrite: 8, cost: 0.25 });
  for (const tool of ["bash", "read", "bash"]) meter.call("call", tool);
  expect(standingsOf(limit, since, meter.current, null)).toEqual([{ ...named(name), used, max: 1 }]);
});

test("a limit says what it measures, so that the host can be asked to tell the time, or which tool is called", () => {
  const limits = [tokenLimit(1), costLimit(1), timeLimit(1), toolLimit("bash", 1)];
  expect(limits.map(({ measure }) => measure)).toEqual(["tokens", "cost", "time", "calls"]);
});

test("a limit may be given as a number or with its policy, and is unlimited if nothing is said", () => {
  expect(tokenLimit({ max: 5, onExhausted: "stop" })).toMatchObject({ max: 5, onExhausted: "stop" });
  const limits = [tokenLimit({}), costLimit({}), timeLimit({}), toolLimit("bash", {})];
  expect(limits.map(({ max }) => max)).toEqual(new Array(4).fill("unlimited"));
  expect(costLimit(5).unpriced).toBe("warn");
  expect(toolLimit("bash", 5)).toMatchObject({ before: "step", tool: "bash", headless: "refuse" });
});

const TURN_KINDS = ["turns", "requests", "tokens", "cost", "time"] as const;
const STEP_KINDS = ["steps", "tools", "repeats"] as const;

test.each(STEP_KINDS)("a limit of %s can be to ask, stop, raise, synthesize or refuse", (name) => {
  for (const onExhausted of ["ask", "stop", "raise", "synthesize", "refuse"])
    expect(KINDS[name].check({ max: 1, onExhausted }, name)).toMatchObject({ onExhausted });
  for (const headless of ["stop", "raise", "synthesize", "refuse"])
    expect(KINDS[name].check({ max: 1, headless }, name)).toMatchObject({ headless });
});

test.each(TURN_KINDS)(
  "a limit of %s can be to ask, stop, raise or synthesize: turns cannot be refused",
  (name) => {
    for (const onExhausted of ["ask", "stop", "raise", "synthesize"])
      expect(KINDS[name].check({ max: 1, onExhausted }, name)).toMatchObject({ onExhausted });
    expect(whyRefused(() => KINDS[name].check({ max: 1, onExhausted: "refuse" }, name))).toMatchObject({
      setting: `${name}.onExhausted`,
      allowed: '"ask", "stop", "raise" or "synthesize"',
    });
    expect(whyRefused(() => KINDS[name].check({ max: 1, headless: "refuse" }, name))).toMatchObject({
      setting: `${name}.headless`,
    });
  },
);

test.each([...TURN_KINDS, ...STEP_KINDS])(
  "of a limit of %s nothing is taken that it does not know",
  (name) => {
    for (const [option, value] of Object.entries({ maximum: 5, onExhaust: "stop", 0: 5, constructor: 5 }))
      expect(whyRefused(() => KINDS[name].check({ max: 5, [option]: value }, name))).toMatchObject({
        setting: `${name}.${option}`,
        value,
        allowed: expect.stringMatching(/^one of max, onExhausted, headless/),
      });
    for (const value of [null, true, [5], new Map([["max", 5]]), new Set([5]), () => 5, 5n, Symbol("5")])
      expect(whyRefused(() => KINDS[name].check(value, name))).toMatchObject({ setting: name, value });
    for (const value of ["5", "", "Unlimited", -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(whyRefused(() => KINDS[name].check(value, name))).toMatchObject({
        setting: `${name}.max`,
        value,
      });
  },
);

test("a step limit, and one of repeats, is of 1 or more", () => {
  for (const name of ["steps", "repeats"] as const)
    expect(whyRefused(() => KINDS[name].check(0, name))).toMatchObject({
      setting: `${name}.max`,
      allowed: 'a whole number of 1 or more, or "unlimited"',
    });
});

test("a built-in limit is known by its kind", () => {
  expect(kindOf({ kind: "turns" })).toBe(KINDS.turns);
  expect(kindOf({ kind: "tools", tool: "bash" })).toBe(KINDS.tools);
  for (const kind of ["custom", "freeze", "store", "constructor", "__proto__", "toString", ""])
    expect(kindOf({ kind } as LimitIdentity)).toBeUndefined();
});

test("a built-in limit is found by the name that settings and stores know it by", () => {
  expect(builtIn("cost")).toEqual({ kind: "cost" });
  expect(builtIn("tools.a.b")).toEqual({ kind: "tools", tool: "a.b" });
  for (const name of ["tools", "tools.", "cost per day", "cost of pool research", "constructor", ""])
    expect(builtIn(name)).toBeUndefined();
});
