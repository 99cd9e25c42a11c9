import { expect, test } from "vitest";
import { createGovernor, DEFAULT_SYNTHESIS_MESSAGE } from "../../src/index.ts";
import { named } from "../helpers/named.ts";
import { prompted, takeSteps, turnsTaking, turnTaking, used, whyRefused } from "../helpers/runs.ts";

const FIFTY = { input: 30, output: 20 };

test("a token limit that the answers have used up stops the next request", () => {
  const governor = prompted({ tokens: 100 });
  expect(turnsTaking(governor, FIFTY)).toBe(2);
  const stop = { kind: "stop", outcome: "stopped", raises: false, ...named("tokens"), used: 100, max: 100 };
  expect(governor.beforeTurn()).toEqual(stop);
  expect(governor.settled()).toMatchObject({
    kind: "stopped",
    ...named("tokens"),
    turns: 2,
    intervened: true,
  });
});

test("a token limit that one token is left of admits another request, whatever that takes", () => {
  const governor = prompted({ tokens: 101 });
  expect(turnsTaking(governor, FIFTY)).toBe(3);
  expect(governor.view.stop).toMatchObject({ used: 150, max: 101 });
});

test("a token limit of 0 is the boundary before the first request", () => {
  expect(prompted({ tokens: 0 }).beforeTurn()).toMatchObject({ kind: "stop", ...named("tokens"), used: 0 });
  expect(prompted({ tokens: 0, canAsk: true }).beforeTurn()).toMatchObject({ kind: "ask", limit: "tokens" });
});

test.each(["unlimited", { max: "unlimited" }, {}] as const)(
  "a token limit of %j never stops anything, and is not shown",
  (tokens) => {
    const governor = prompted({ turns: "unlimited", tokens });
    expect(turnsTaking(governor, { input: 1e12 }, 50)).toBe(50);
    expect(used(governor, "tokens")).toBeUndefined();
    expect(governor.view.totals.input).toBe(50e12);
  },
);

test("an agent that finishes with the answer that reaches the limit did not hit it", () => {
  const governor = prompted({ tokens: 50 });
  turnTaking(governor, FIFTY);
  expect(governor.settled()).toMatchObject({ kind: "completed", intervened: false });
});

test("tokens spent beyond the limit in the middle of a turn let that turn finish", () => {
  const governor = prompted({ tokens: 100 });
  governor.beforeTurn();
  governor.spend("nested", { input: 500, output: 0 });
  expect(takeSteps(governor, 2)).toEqual(["proceed", "proceed"]);
  governor.turnEnded();
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", ...named("tokens"), used: 500 });
});

test.each<[object, number]>([
  [{}, 3],
  [{ cacheReads: true }, 13],
  [{ cacheWrites: true }, 103],
  [{ cacheReads: true, cacheWrites: true }, 113],
  [{ cacheReads: false, cacheWrites: false }, 3],
])("with %j, an answer that took 1 + 2 tokens, 10 read and 100 written counts %i", (options, counted) => {
  const governor = prompted({ tokens: { max: counted, ...options } });
  turnTaking(governor, { input: 1, output: 2, cacheRead: 10, cacheWrite: 100 });
  expect(used(governor, "tokens")).toBe(counted);
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", ...named("tokens"), used: counted });
});

test("a request that failed and was paid for can be the last one: its retry is held like any request", () => {
  const governor = prompted({ tokens: 10 });
  governor.beforeTurn();
  governor.turnEnded({ failure: "failed", usage: { input: 10, output: 0 } });
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", limit: "tokens" });
});

test("a yes gives the run as many tokens once more, and what the run took is still known", () => {
  const governor = prompted({ tokens: 100, canAsk: true });
  turnsTaking(governor, FIFTY);
  expect(governor.view.status).toBe("asking");
  expect(governor.answer(true)).toEqual({ kind: "proceed" });
  expect(used(governor, "tokens")).toBe(0);
  governor.turnEnded({ usage: FIFTY });
  expect(turnsTaking(governor, FIFTY)).toBe(1);
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("tokens"), used: 100, max: 100 });
  expect(governor.view.totals).toMatchObject({ turns: 4, input: 120, output: 80 });
});

test("no stops the run, and it was declined", () => {
  const governor = prompted({ tokens: 50, canAsk: true });
  turnsTaking(governor, FIFTY);
  expect(governor.answer(false)).toMatchObject({
    kind: "stop",
    outcome: "declined",
    raises: false,
    ...named("tokens"),
  });
  expect(governor.settled()).toMatchObject({ kind: "declined", limit: "tokens" });
});

test("out of tokens, the run can end in one answer without tools", () => {
  const governor = prompted({ tokens: { max: 50, onExhausted: "synthesize" }, canAsk: true });
  turnTaking(governor, FIFTY);
  const message = DEFAULT_SYNTHESIS_MESSAGE;
  expect(governor.beforeTurn()).toEqual({
    kind: "synthesize",
    ...named("tokens"),
    used: 50,
    max: 50,
    message,
  });
  governor.turnEnded({ usage: FIFTY });
  expect(governor.settled()).toMatchObject({ kind: "salvaged", ...named("tokens"), turns: 2 });
});

test("a person's prompt gives new tokens, a program that goes on gets those that are left", () => {
  const governor = prompted({ tokens: 100 });
  turnTaking(governor, FIFTY);
  governor.settled();
  expect(turnsTaking(governor, FIFTY)).toBe(1);
  governor.settled();
  expect(governor.view.exhausted).toBe(true);
  governor.prompt();
  expect(governor.view.exhausted).toBe(false);
  expect(turnsTaking(governor, FIFTY)).toBe(2);
});

test("a turn that is reported after the run has settled belongs to no run, and what is spent then to the last prompt", () => {
  const governor = prompted({ tokens: 100 });
  turnTaking(governor, FIFTY);
  governor.settled();
  governor.turnEnded({ usage: FIFTY });
  expect(used(governor, "tokens")).toBe(50);
  governor.spend("compaction", FIFTY);
  expect(used(governor, "tokens")).toBe(100);
  governor.prompt();
  expect(used(governor, "tokens")).toBe(0);
});

test.each<[unknown, string, unknown]>([
  [-1, "tokens.max", -1],
  [2.5, "tokens.max", 2.5],
  [Number.NaN, "tokens.max", Number.NaN],
  [Number.POSITIVE_INFINITY, "tokens.max", Number.POSITIVE_INFINITY],
  ["100", "tokens.max", "100"],
  [null, "tokens", null],
  [[100], "tokens", [100]],
  [{ max: "all" }, "tokens.max", "all"],
  [{ max: 5, reserve: -1 }, "tokens.reserve", -1],
  [{ max: 5, reserve: 0.5 }, "tokens.reserve", 0.5],
  [{ max: 5, onExhausted: "refuse" }, "tokens.onExhausted", "refuse"],
  [{ max: 5, reserved: 1 }, "tokens.reserved", 1],
  [{ max: 5, headless: "ask" }, "tokens.headless", "ask"],
])(
  "a token limit of %j is refused by the name of what is wrong with it, and changes nothing [RefuseIsForCalls] [HeadlessNeverAsks]",
  (tokens, setting, value) => {
    const governor = prompted({ tokens: 7 });
    const before = governor.state;
    expect(whyRefused(() => createGovernor({ tokens: tokens as number }))).toMatchObject({ setting, value });
    expect(whyRefused(() => governor.configure({ tokens: tokens as number, cost: 1 }))).toMatchObject({
      setting,
    });
    expect(governor.state).toEqual(before);
  },
);
