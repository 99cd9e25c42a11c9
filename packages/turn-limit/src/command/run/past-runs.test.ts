import { expect, test } from "vitest";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { GatewaySummary } from "../../gateway/requests/summary.ts";
import { memoryStore } from "../../pools/stores/memory.ts";
import { rememberRun } from "./past-runs.ts";

const outcome: Outcome = {
  ...{ kind: "completed", turns: 2, rounds: 1, steps: 1, intervened: false },
  ...{ maxTurns: 25, maxSteps: "unlimited" },
};

const SUMMARY: GatewaySummary = {
  ...{ outcome, endedBy: undefined, turns: 2, requests: 2, sent: 2, time: 5 },
  ...{ usage: { input: 10, output: 5, cost: 0.2 }, over: [], problem: undefined },
  ...{ isEstimate: false, isUnpriced: false },
};

test.each([
  [false, 0.2],
  [true, 0],
])("a cost of which a part is not known is none: %j [RunsAreRemembered]", async (isUnpriced, cost) => {
  const store = memoryStore();
  await rememberRun(async () => store, "Codex", { ...SUMMARY, isUnpriced }, { code: 0, signal: null });
  expect((await store.pastRuns("Codex")).map(({ took }) => [took.turns, took.cost])).toEqual([[2, cost]]);
});
