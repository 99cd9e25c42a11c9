import { expect, test } from "vitest";
import { allOf, anyOf, costLimit, createGovernor, type LimitSetting } from "../../src/index.ts";
import { named } from "../helpers/named.ts";
import { prompted, takeSteps, turnsTaking, turnTaking, used, whyRefused } from "../helpers/runs.ts";

const TEN_CENTS = { input: 1, cost: 0.1 };
const NO_PRICE = { input: 1 };

test("a cost limit that the answers have used up stops the next request", () => {
  const governor = prompted({ cost: 0.5 });
  expect(turnsTaking(governor, { input: 1, cost: 0.25 })).toBe(2);
  const stop = { kind: "stop", outcome: "stopped", raises: false, ...named("cost"), used: 0.5, max: 0.5 };
  expect(governor.beforeTurn()).toEqual(stop);
});

test("eight times $0.10 are $0.80: binary fractions make no request more or less", () => {
  for (let requests = 1; requests <= 24; requests += 1) {
    const governor = prompted({ cost: requests / 10 });
    expect(turnsTaking(governor, TEN_CENTS)).toBe(requests);
    expect(governor.view.totals.cost).toBe(requests / 10);
  }
});

test("after a yes the dollars are counted without noise too", () => {
  const governor = prompted({ cost: 0.3, canAsk: true });
  for (let round = 0; round < 5; round += 1) {
    expect(turnsTaking(governor, TEN_CENTS)).toBe(round === 0 ? 3 : 2);
    governor.answer(true);
    governor.turnEnded({ usage: { output: 0, ...TEN_CENTS } });
    expect(used(governor, "cost")).toBe(0.1);
  }
});

test("what a run cost is said without noise", () => {
  const governor = prompted({});
  turnsTaking(governor, TEN_CENTS, 3);
  expect(governor.settled()?.usage).toEqual({ input: 3, output: 0, cost: 0.3 });
});

test("a cost limit that a cent is left of admits another request", () => {
  const governor = prompted({ cost: 0.51 });
  expect(turnsTaking(governor, { input: 1, cost: 0.25 })).toBe(3);
});

test("a cost limit of $0 is the boundary before the first request, and an unlimited one never", () => {
  expect(prompted({ cost: 0 }).beforeTurn()).toMatchObject({
    kind: "stop",
    ...named("cost"),
    used: 0,
    max: 0,
  });
  expect(turnsTaking(prompted({ turns: 9, cost: "unlimited" }), { cost: 1e9 })).toBe(9);
});

test("compactions and what tool calls spend by themselves cost as well", () => {
  const governor = prompted({ cost: 1 });
  governor.beforeTurn();
  governor.spend("nested", { input: 1, output: 1, cost: 0.6 });
  governor.spend("compaction", { input: 1, output: 1, cost: 0.4 });
  expect(takeSteps(governor, 1)).toEqual(["proceed"]);
  governor.turnEnded();
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", ...named("cost"), used: 1 });
});

test("by default a model without a price is said to have none, and the run goes on", () => {
  const governor = prompted({ turns: 3, cost: 1 });
  expect(governor.view.unpriced).toBe(false);
  expect(turnsTaking(governor, NO_PRICE)).toBe(3);
  expect(governor.view.unpriced).toBe(true);
  expect(governor.settled()).toMatchObject({ kind: "stopped", ...named("turns"), unpriced: true });
});

test("where the cost limit stands says that something has no price", () => {
  const governor = prompted({ cost: 1 });
  expect(governor.view.standings.at(-1)).toEqual({ ...named("cost"), used: 0, max: 1 });
  turnTaking(governor, NO_PRICE);
  expect(governor.view.standings.at(-1)).toEqual({ ...named("cost"), used: 0, max: 1, unpriced: true });
});

test("what is known of the cost still counts while something has no price", () => {
  const governor = prompted({ cost: 0.2 });
  turnTaking(governor, NO_PRICE);
  expect(turnsTaking(governor, TEN_CENTS)).toBe(2);
  expect(governor.view.stop).toMatchObject({ ...named("cost"), used: 0.2 });
  expect(governor.view.stop).not.toHaveProperty("unpriced");
});

test("a model without a price can be a reason to stop before the next request", () => {
  const governor = prompted({ cost: { max: 5, unpriced: "stop" } });
  expect(turnsTaking(governor, NO_PRICE)).toBe(1);
  expect(governor.view.stop).toEqual({
    kind: "stop",
    outcome: "stopped",
    raises: false,
    ...named("cost"),
    used: 0,
    max: 5,
    unpriced: true,
  });
  expect(governor.settled()).toMatchObject({ kind: "stopped", ...named("cost"), unpriced: true });
});

test("a model without a price stops the run also where someone could be asked", () => {
  const governor = prompted({ cost: { max: 5, unpriced: "stop" }, canAsk: true });
  turnTaking(governor, NO_PRICE);
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", unpriced: true });
});

test("a model that is known to have no price is noticed before the first request", () => {
  const warned = prompted({ cost: 5 });
  expect(warned.beforeTurn({ priced: false }).kind).toBe("proceed");
  expect(warned.view.unpriced).toBe(true);

  const stopped = prompted({ cost: { max: 5, unpriced: "stop" } });
  expect(stopped.beforeTurn({ priced: false })).toMatchObject({
    kind: "stop",
    ...named("cost"),
    unpriced: true,
  });
  expect(stopped.settled()).toMatchObject({ turns: 0, unpriced: true });
});

test("without a price the token limit can take over, where there is one", () => {
  const cost: LimitSetting<"cost"> = { max: 5, unpriced: "tokens" };
  const held = prompted({ cost, tokens: 4 });
  expect(turnsTaking(held, NO_PRICE)).toBe(4);
  expect(held.view.stop).toMatchObject({ limit: "tokens" });

  for (const tokens of ["unlimited", { max: "unlimited" }] as const) {
    const stopped = prompted({ cost, tokens });
    expect(turnsTaking(stopped, NO_PRICE)).toBe(1);
    expect(stopped.view.stop).toMatchObject({ ...named("cost"), unpriced: true });
  }
});

test("without a cost limit nobody needs a price", () => {
  const governor = prompted({ turns: 2 });
  governor.beforeTurn({ priced: false });
  turnsTaking(governor, NO_PRICE);
  expect(governor.view.unpriced).toBe(false);
  expect(governor.settled()).not.toHaveProperty("unpriced");
});

test("an answer that took nothing needs no price, and neither does one that was free", () => {
  const governor = prompted({ cost: { max: 5, unpriced: "stop" } });
  turnTaking(governor, {});
  turnTaking(governor, { input: 5, cost: 0 });
  expect(governor.view.unpriced).toBe(false);
  expect(governor.beforeTurn().kind).toBe("proceed");
});

test.each([{ output: 1 }, { cacheRead: 1 }, { cacheWrite: 1 }])("%j without a cost has no price", (usage) => {
  const governor = prompted({ cost: 5 });
  turnTaking(governor, usage);
  expect(governor.view.unpriced).toBe(true);
});

test("the next prompt may be for a model with a price", () => {
  const governor = prompted({ cost: { max: 5, unpriced: "stop" } });
  turnsTaking(governor, NO_PRICE);
  governor.settled();
  expect(governor.view.exhausted).toBe(true);
  governor.prompt();
  expect(turnsTaking(governor, TEN_CENTS, 3)).toBe(3);
  expect(governor.settled()).not.toHaveProperty("unpriced");
});

test.each<[unknown, string, unknown]>([
  [-0.01, "cost.max", -0.01],
  [Number.NaN, "cost.max", Number.NaN],
  ["$5", "cost.max", "$5"],
  [null, "cost", null],
  [{ max: 5, reserve: -1 }, "cost.reserve", -1],
  [{ max: 5, unpriced: "ignore" }, "cost.unpriced", "ignore"],
  [{ max: 5, unpriced: null }, "cost.unpriced", null],
  [{ max: 5, onExhausted: "refuse" }, "cost.onExhausted", "refuse"],
  [{ max: 5, onExhausted: "explode" }, "cost.onExhausted", "explode"],
])(
  "a cost limit of %j is refused by the name of what is wrong with it, and changes nothing",
  (cost, setting, value) => {
    const governor = prompted({ cost: 7 });
    const before = governor.state;
    expect(whyRefused(() => createGovernor({ cost: cost as number }))).toMatchObject({ setting, value });
    expect(whyRefused(() => governor.configure({ tokens: 1, cost: cost as number }))).toMatchObject({
      setting,
      value,
    });
    expect(governor.state).toEqual(before);
  },
);

test("what has no price is told in the outcome, also where the cost limit is in a group", () => {
  const words = { name: "words", max: 1e6, used: ({ output }: { output: number }) => output };
  for (const limits of [[anyOf([words, costLimit(5)])], [allOf([costLimit(5), words])], [costLimit(5)]]) {
    const governor = prompted({ limits });
    turnTaking(governor, NO_PRICE);
    expect(governor.view.unpriced).toBe(true);
    expect(governor.view.standings).toContainEqual({ ...named("cost"), used: 0, max: 5, unpriced: true });
    expect(governor.settled()).toMatchObject({ kind: "completed", unpriced: true });
  }
});

test("amounts under a billionth of a dollar add up to the limit", () => {
  const governor = prompted({ turns: "unlimited", cost: 1e-8 });
  expect(turnsTaking(governor, { input: 1, cost: 4e-10 })).toBe(25);
  expect(governor.settled()?.usage?.cost).toBe(1e-8);
});

test("a yes late in a long session still has exact cents", () => {
  const governor = prompted({ turns: "unlimited", cost: 0.3, canAsk: true });
  governor.spend("nested", { input: 1, output: 0, cost: 123_456.78 });
  for (let round = 0; round < 2_000; round += 1) {
    expect(governor.beforeTurn().kind).toBe("ask");
    governor.answer(true);
    governor.turnEnded({ usage: { input: 1, output: 0, cost: 0.1 } });
    expect(turnsTaking(governor, TEN_CENTS, 2)).toBe(2);
    expect(used(governor, "cost")).toBe(0.3);
  }
});
