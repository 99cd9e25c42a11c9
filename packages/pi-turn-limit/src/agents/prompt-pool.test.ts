import { type Max, memoryStore } from "turn-limit";
import { expect, test, vi } from "vitest";
import { Run } from "../core.ts";
import type { LimitValues } from "../limits/pi-limits.ts";
import { completed } from "../settings/settings.ts";
import { promptPools } from "./parents-budgets.ts";
import { PromptPool } from "./prompt-pool.ts";

/** A run with a limit of tokens, and agents below it. */
function scene(max: Max) {
  const store = memoryStore();
  const own = { used: 0, left: max };
  const use = (tokens: number) => {
    own.used += tokens;
    if (own.left !== "unlimited") own.left -= tokens;
  };
  const pool = new PromptPool({ id: "prompt 1" }, store);
  const update = async () => {
    use((await pool.settle({ tokens: own.used, cost: 0, time: 0 })).tokens);
    await pool.admit({ tokens: own.left, cost: "unlimited", time: "unlimited" });
  };
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
    const agent = new Run({ pool: promptPools(prompts, values, store) }, { name: "Look into it" });
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
  return { own, use, pool, update, agent };
}

test("agents take what the run has left, which counts it as its own [OwnerSaysWhatIsLeft] [DrawnCountsAbove]", async () => {
  const { own, use, pool, update, agent } = scene(300);
  use(100);
  await update();
  const [one, two] = [agent(), agent()];
  expect([await one.turn(90), await two.turn(90), await one.turn(90)]).toEqual(["turn", "turn", "turn"]);
  expect([await one.turn(90), await two.turn(90)]).toEqual(["stop", "stop"]);
  await update();
  expect(own).toEqual({ used: 370, left: -70 });
  await update();
  expect(own.used).toBe(370);
  expect(pool.agents).toMatchObject([
    { name: "Look into it", tokens: 180 },
    { name: "Look into it", tokens: 90 },
  ]);
});

test("what the run uses itself meanwhile is not left for the agents [OwnerSaysWhatIsLeft]", async () => {
  const { use, update, agent } = scene(300);
  await update();
  const one = agent();
  expect(await one.turn(100)).toBe("turn");
  use(200);
  await update();
  expect(await one.turn(100)).toBe("stop");
});

test("another round of the run is one for its agents", async () => {
  const { own, update, agent } = scene(100);
  await update();
  const one = agent();
  expect([await one.turn(100), await one.turn(100)]).toEqual(["turn", "stop"]);
  await update();
  own.left = 100;
  await update();
  const two = agent();
  expect([await two.turn(100), await two.turn(100)]).toEqual(["turn", "stop"]);
});

test("agents that have ended are no longer present, and what they took is known", async () => {
  const { pool, update, agent } = scene("unlimited");
  await update();
  const one = agent();
  await one.turn(100);
  await update();
  expect(pool.agents).toMatchObject([{ isPresent: true, tokens: 100 }]);
  await one.end();
  await update();
  expect(pool.agents).toMatchObject([{ isPresent: false, tokens: 100 }]);
});

test("a store that failed is left alone for a while", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    const working = memoryStore();
    const take = vi.fn(working.take).mockRejectedValueOnce(new Error("It is locked."));
    const pool = new PromptPool({ id: "prompt 1" }, { ...working, take });
    const used = { tokens: 0, cost: 0, time: 0 };
    await expect(pool.settle(used)).rejects.toThrow("It is locked.");
    await expect(pool.settle(used)).rejects.toThrow("It is locked.");
    expect(take).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(30_000);
    await pool.settle(used);
    await pool.admit({ tokens: 100, cost: "unlimited", time: "unlimited" });
    expect((await working.read("prompt 1"))?.state.limits).toMatchObject({ tokens: 100 });
  } finally {
    vi.useRealTimers();
  }
});
