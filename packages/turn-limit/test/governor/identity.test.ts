import { expect, test } from "vitest";
import {
  createGovernor,
  createPool,
  isStepLimitExceeded,
  limitError,
  limitTitle,
  type Stop,
} from "../../src/index.ts";
import { prompted } from "../helpers/runs.ts";

test("each limit says what it is, beside what it is called", () => {
  const { standings } = createGovernor({
    steps: 3,
    tools: { bash: 2 },
    limits: [{ name: "answers", max: 5, used: ({ turns }) => turns }],
  }).view;
  expect(standings.map(({ limit, identity }) => [limit, identity])).toEqual([
    ["turns", { kind: "turns" }],
    ["steps", { kind: "steps" }],
    ["tools.bash", { kind: "tools", tool: "bash" }],
    ["answers", { kind: "custom" }],
  ]);
});

test("a limit of one's own that is called like a cost limit is none: it has no unit and needs no price", () => {
  const governor = prompted({
    cost: 9,
    limits: [
      { name: "cost per minute", max: 1, onExhausted: "stop", used: ({ turns }) => turns },
      { name: "steps of pool position", max: 1, onExhausted: "raise", used: ({ steps }) => steps },
    ],
  });
  governor.beforeTurn();
  governor.turnEnded({ usage: { input: 1, output: 1 } });
  expect(governor.view.standings.filter(({ unpriced }) => unpriced).map(({ limit }) => limit)).toEqual([
    "cost",
  ]);
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", identity: { kind: "custom" } });
  const refused = governor.beforeStep({ tool: "bash" });
  expect(refused).toMatchObject({
    reason:
      "Not run: the cost per minute limit is reached (1/1). No more tool calls are possible in this run.",
  });
});

test("only the run's own step limit raises the error of a step limit", () => {
  const raised = (identity: Stop["identity"]) =>
    limitError({
      ...{ kind: "stop", limit: "steps", identity, used: 1, max: 1, outcome: "stopped", raises: true },
    } as Stop);
  expect(isStepLimitExceeded(raised({ kind: "steps" }))).toBe(true);
  expect(isStepLimitExceeded(raised({ kind: "steps", pool: "research" }))).toBe(false);
  expect(isStepLimitExceeded(raised({ kind: "custom" }))).toBe(false);
});

test("questions, stops and outcomes carry the identity of their limit, also after a restart", () => {
  const governor = prompted({ turns: 1, canAsk: true });
  governor.beforeTurn();
  governor.turnEnded();
  const identity = { kind: "turns" };
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", identity });
  const again = createGovernor({ state: JSON.parse(JSON.stringify(governor.state)), canAsk: true });
  expect(again.view.question).toMatchObject({ limit: "turns", identity });
  expect(again.answer(false)).toMatchObject({ kind: "stop", identity });
  expect(again.settled()).toMatchObject({ kind: "declined", identity });
});

test("what a pool calls its limits changes nothing about what they are", () => {
  const pool = createPool({ id: "research", cost: 5, nameOf: (limit) => `${limit} of ours` });
  expect(pool.sharedLimits).toContainEqual(
    expect.objectContaining({
      name: "cost of ours",
      identity: { kind: "cost", pool: "research" },
    }),
  );
  expect(limitTitle({ limit: "cost of ours", identity: { kind: "cost", pool: "research" } })).toBe(
    "cost of ours limit",
  );
});

test("the limits of a pool say which pool they are of", () => {
  const { sharedLimits } = createPool({ id: "research", cost: 5, per: "day", tools: { bash: 2 } });
  expect(sharedLimits.map(({ name, identity }) => [name, identity])).toEqual([
    ["store of pool research", { kind: "store", pool: "research" }],
    ["freeze of pool research", { kind: "freeze", pool: "research" }],
    ["cost of pool research", { kind: "cost", pool: "research", per: "day" }],
    ["tools.bash of pool research", { kind: "tools", tool: "bash", pool: "research", per: "day" }],
  ]);
});
