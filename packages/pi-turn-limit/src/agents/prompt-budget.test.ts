import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { memoryStore } from "turn-limit";
import { expect, test } from "vitest";
import { joinPool, Run } from "../core.ts";
import type { LimitValues } from "../limits/pi-limits.ts";
import { completed } from "../settings/settings.ts";
import { PromptBudget } from "./prompt-budget.ts";

/** A run in the middle of a tool call, and an agent that the call has started. */
async function scene() {
  const store = memoryStore();
  const run = new Run({ cost: 1 });
  run.begin();
  await run.nextTurn();
  const values = completed({ cost: { max: 1 } }) as unknown as LimitValues;
  const budgets = { session: "7", values, pools: [], store };
  const budget = new PromptBudget({} as ExtensionContext, run, budgets, () => {});
  budget.callBegins("call");
  await budget.refresh();
  const agent = new Run({
    pool: joinPool({ id: budget.pool, tokens: "unlimited", cost: "unlimited", store }),
  });
  const draws = async (tokens: number, cost: number) => {
    const turn = await agent.nextTurn();
    if (turn.kind === "turn") turn.answered({ usage: { input: tokens, output: 0, cost } });
    await agent.shared.settle();
    await budget.refresh();
  };
  const spent = () => {
    const { input, output, cost } = run.view.totals;
    return { tokens: input + output, cost: Number(cost.toFixed(6)) };
  };
  const agentEnds = async () => {
    agent.end();
    await agent.shared.done();
    await budget.refresh();
  };
  return { budget, draws, spent, agentEnds };
}

const reported = { input: 80, output: 20, cost: 0.03 };

test("what was drawn is not counted again when it is reported [ReportedIsNotCountedAgain]", async () => {
  const { budget, draws, spent } = await scene();
  await draws(60, 0.02);
  await draws(40, 0.01);
  expect(spent()).toEqual({ tokens: 100, cost: 0.03 });
  await budget.resultArrived("call", reported);
  expect(spent()).toEqual({ tokens: 100, cost: 0.03 });
  await budget.resultArrived("another call", reported);
  expect(spent()).toEqual({ tokens: 200, cost: 0.06 });
});

test("what is reported beyond that counts [ReportedIsNotCountedAgain]", async () => {
  const { budget, draws, spent } = await scene();
  await draws(60, 0.01);
  await budget.resultArrived("call", reported);
  expect(spent()).toEqual({ tokens: 100, cost: 0.03 });
});

test("without agents, and after their calls, everything that is reported counts", async () => {
  const { budget, draws, spent, agentEnds } = await scene();
  await budget.resultArrived("call", reported);
  expect(spent()).toEqual({ tokens: 100, cost: 0.03 });
  budget.callBegins("next");
  await draws(60, 0.01);
  await agentEnds();
  await budget.resultArrived("next", undefined);
  await budget.resultArrived("last", reported);
  expect(spent()).toEqual({ tokens: 260, cost: 0.07 });
});

test("what agents drew is known after a reload", async () => {
  const { budget, draws } = await scene();
  await draws(60, 0.01);
  expect(budget.state).toMatchObject({
    pool: { id: budget.pool, counted: { tokens: 60 } },
    calls: ["call"],
    credit: { tokens: 60, cost: 0.01 },
  });
});
