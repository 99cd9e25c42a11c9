import { type Max, memoryStore } from "turn-limit";
import { expect, test, vi } from "vitest";
import { Run } from "../core.ts";
import type { LimitValues } from "../limits/pi-limits.ts";
import { completed } from "../settings/settings.ts";
import { ParentsBudgets } from "./parents-budgets.ts";
import { type BudgetOfRun, DrawnCredit, PromptPool } from "./prompt-pool.ts";

/** A run with a limit of tokens, and agents below it. */
function scene(max: Max) {
  const store = memoryStore();
  const own = { used: 0, left: max };
  const run: BudgetOfRun = {
    get used() {
      return { tokens: own.used, cost: 0, time: 0 };
    },
    get left() {
      return { tokens: own.left, cost: "unlimited" as const, time: "unlimited" as const };
    },
    spentByOthers: ({ tokens }) => use(tokens),
  };
  const use = (tokens: number) => {
    own.used += tokens;
    if (own.left !== "unlimited") own.left -= tokens;
  };
  const pool = new PromptPool("prompt 1", "prompt", store);
  const tokens = { max, cacheReads: false, cacheWrites: false };
  const prompts = [
    {
      pool: "prompt 1",
      isOpen: true,
      tokens,
      cost: { max: "unlimited" as const, unpriced: "warn" as const },
    },
  ];
  const values = completed({
    tokens: { headless: "stop" },
    cost: { headless: "stop" },
  }) as unknown as LimitValues;
  const agent = () => {
    const budgets = new ParentsBudgets({ store: "", prompts, periods: [] }, store);
    const agent = new Run({ pool: budgets.pools(values, "8") }, { name: "Look into it" });
    return {
      turn: async (tokens: number) => {
        const turn = await agent.nextTurn();
        if (turn.kind === "turn") turn.answered({ usage: { input: tokens, output: 0, cost: 0 } });
        await agent.shared.settle();
        return turn.kind;
      },
      end: async () => {
        agent.end();
        await agent.shared.done();
      },
    };
  };
  return { own, run, use, pool, agent };
}

test("agents take what the run has left, which counts it as its own [OwnerSaysWhatIsLeft] [DrawnCountsAbove]", async () => {
  const { own, run, use, pool, agent } = scene(300);
  use(100);
  await pool.update(run);
  const [one, two] = [agent(), agent()];
  expect([await one.turn(90), await two.turn(90), await one.turn(90)]).toEqual(["turn", "turn", "turn"]);
  expect([await one.turn(90), await two.turn(90)]).toEqual(["stop", "stop"]);
  await pool.update(run);
  expect(own).toEqual({ used: 370, left: -70 });
  await pool.update(run);
  expect(own.used).toBe(370);
  expect(pool.agents).toMatchObject([
    { name: "Look into it", tokens: 180 },
    { name: "Look into it", tokens: 90 },
  ]);
});

test("what the run uses itself meanwhile is not left for the agents [OwnerSaysWhatIsLeft]", async () => {
  const { run, use, pool, agent } = scene(300);
  await pool.update(run);
  const one = agent();
  expect(await one.turn(100)).toBe("turn");
  use(200);
  await pool.update(run);
  expect(await one.turn(100)).toBe("stop");
});

test("another round of the run is one for its agents", async () => {
  const { own, run, pool, agent } = scene(100);
  await pool.update(run);
  const one = agent();
  expect([await one.turn(100), await one.turn(100)]).toEqual(["turn", "stop"]);
  await pool.update(run);
  own.left = 100;
  await pool.update(run);
  const two = agent();
  expect([await two.turn(100), await two.turn(100)]).toEqual(["turn", "stop"]);
});

test("agents that have ended are no longer present, and what they took is known", async () => {
  const { run, pool, agent } = scene("unlimited");
  await pool.update(run);
  const one = agent();
  await one.turn(100);
  await pool.update(run);
  expect(pool.agents).toMatchObject([{ isPresent: true, tokens: 100 }]);
  await one.end();
  await pool.update(run);
  expect(pool.agents).toMatchObject([{ isPresent: false, tokens: 100 }]);
});

test("a store that failed is left alone for a while", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    const working = memoryStore();
    const take = vi.fn(working.take).mockRejectedValueOnce(new Error("It is locked."));
    const pool = new PromptPool("prompt 1", "prompt", { ...working, take });
    const run = {
      used: { tokens: 0, cost: 0, time: 0 },
      left: { tokens: 100, cost: "unlimited", time: "unlimited" } as const,
      spentByOthers: () => {},
    };
    await expect(pool.update(run)).rejects.toThrow("It is locked.");
    await expect(pool.update(run)).rejects.toThrow("It is locked.");
    expect(take).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(30_000);
    await pool.update(run);
    expect((await working.read("prompt 1"))?.head.limits).toMatchObject({ tokens: 100 });
  } finally {
    vi.useRealTimers();
  }
});

const reported = { input: 80, output: 20, cost: 0.03 };

test("what was drawn is not counted again when it is reported [ReportedIsNotCountedAgain]", () => {
  const credit = new DrawnCredit();
  credit.add({ tokens: 60, cost: 0.02 });
  credit.add({ tokens: 40, cost: 0.01 });
  expect(credit.beyond(reported, 100)).toEqual({ input: 0, output: 0, cost: 0 });
  expect(credit.beyond(reported, 100)).toEqual(reported);
});

test("what is reported beyond that counts [ReportedIsNotCountedAgain]", () => {
  const credit = new DrawnCredit();
  credit.add({ tokens: 60, cost: 0.01 });
  const { input, cost } = credit.beyond(reported, 100);
  expect(input).toBe(40);
  expect(cost).toBeCloseTo(0.02);
});

test("without agents, and after their calls, everything that is reported counts", () => {
  const credit = new DrawnCredit();
  expect(credit.beyond(reported, 100)).toBe(reported);
  credit.add({ tokens: 60, cost: 0.01 });
  credit.clear();
  expect(credit.beyond(reported, 100)).toBe(reported);
});
