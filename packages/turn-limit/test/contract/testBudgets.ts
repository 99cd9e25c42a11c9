import { expect, test, vi } from "vitest";
import type { AdapterOptions } from "../../src/adapters/shared/AdapterOptions.ts";
import { anyOf } from "../../src/limits/Limit.ts";
import { TurnLimit } from "../../src/limits/TurnLimit.ts";
import { type Capabilities, callId, type Host, type Observed, type Reply, type SeenRequest } from "./Host.ts";
import { ManualClock } from "./ManualClock.ts";
import type { Play } from "./testAdapter.ts";

const endless = (): Reply => ({ calls: 1 });
const twelveAtOnce = (): Reply => ({ calls: 12 });
const untilToolsAreGone = ({ tools }: SeenRequest): Reply =>
  tools.length === 0 ? { text: "partial" } : { calls: 1 };
const price = () => 0.1;

/** What every adapter does about the budgets beside turns and steps. */
export function testBudgets({ can, prices }: Host, play: Play): void {
  const where = (capability: keyof Capabilities) => (can[capability] === true ? test : test.skip);
  const whereUnpriced = prices ? test.skip : where("spending");

  /** What one answer of the host's test model takes. */
  async function oneAnswer(): Promise<{ tokens: number; cost: number }> {
    const { outcomes } = await play({ limits: { turns: 1, price }, model: endless });
    const { input = 0, output = 0, cost = 0 } = outcomes[0]?.usage ?? {};
    return { tokens: input + output, cost };
  }

  where("spending")("a token limit that is used up stops the next request", async () => {
    const { tokens } = await oneAnswer();
    const seen = await play({ limits: { tokens: tokens * 3 }, model: endless });
    expect(seen.requests).toHaveLength(3);
    expect(seen.orphans).toBe(0);
    expect(seen.outcomes).toMatchObject([{ kind: "stopped", limit: "tokens", turns: 3 }]);
  });

  where("spending")("a token limit that is not yet used up stops nothing", async () => {
    const { tokens } = await oneAnswer();
    const seen = await play({ limits: { tokens: tokens * 3 + 1 }, model: endless });
    expect(seen.requests).toHaveLength(4);
    expect(seen.outcomes).toMatchObject([{ kind: "stopped", limit: "tokens", turns: 4 }]);
  });

  where("spending")("with a reserve, the answer without tools is made before the limit", async () => {
    const { tokens } = await oneAnswer();
    const budget = { max: tokens * 3, reserve: tokens, onExhausted: "synthesize" } as const;
    const seen = await play({ limits: { tokens: budget }, model: untilToolsAreGone });
    expect(seen.requests.map(({ tools }) => tools.length)).toEqual([1, 1, 0]);
    expect(seen.answer).toBe("partial");
    expect(seen.outcomes).toMatchObject([{ kind: "salvaged", limit: "tokens" }]);
  });

  where("spending")("a cost limit that is used up stops the next request", async () => {
    const { cost } = await oneAnswer();
    expect(cost).toBeGreaterThan(0);
    const max = Number((cost * 3).toFixed(9));
    const seen = await play({ limits: { cost: max, price }, model: endless });
    expect(seen.requests).toHaveLength(3);
    expect(seen.outcomes).toMatchObject([{ kind: "stopped", limit: "cost", turns: 3 }]);
  });

  whereUnpriced("a model without a price is said once, and the run goes on", async () => {
    const warnings: string[] = [];
    const onWarning = (message: string) => warnings.push(message);
    const seen = await play({ limits: { turns: 3, cost: 5, onWarning }, model: endless });
    expect(seen.requests).toHaveLength(3);
    expect(warnings).toEqual([expect.stringContaining("no price")]);
    expect(seen.outcomes).toMatchObject([{ kind: "stopped", limit: "turns", unpriced: true }]);
  });

  whereUnpriced("a model without a price can be a reason to stop", async () => {
    const limits: AdapterOptions = { cost: { max: 5, unpriced: "stop" }, onWarning: () => {} };
    const seen = await play({ limits, model: endless });
    expect(seen.requests).toHaveLength(1);
    expect(seen.outcomes).toMatchObject([{ kind: "stopped", limit: "cost", turns: 1 }]);
  });

  where("time")("a time limit that is used up stops the next request", async () => {
    const clock = new ManualClock();
    const model = (): Reply => {
      clock.pass(1_000);
      return { calls: 1 };
    };
    const seen = await play({ limits: { time: 3_000, clock }, model });
    expect(seen.requests).toHaveLength(3);
    expect(seen.orphans).toBe(0);
    expect(seen.outcomes).toMatchObject([{ kind: "stopped", limit: "time", turns: 3, time: 3_000 }]);
  });

  where("ask")("the time in which a person is waited for does not count", async () => {
    const clock = new ManualClock();
    const ask = async () => {
      clock.pass(3_600_000);
      return true;
    };
    const model = ({ index }: SeenRequest): Reply => {
      clock.pass(1_000);
      return index === 6 ? { text: "done" } : { calls: 1 };
    };
    const seen = await play({ limits: { turns: 2, time: 9_000, clock, ask }, model });
    expect(seen.requests).toHaveLength(6);
    expect(seen.outcomes).toMatchObject([{ kind: "completed", time: 6_000, rounds: 3 }]);
  });

  where("time")("a tool call that hangs is cut off when the time is up, and the run stopped", async () => {
    const clock = new ManualClock();
    const seen = await play({
      limits: { time: 5_000, clock },
      model: endless,
      onExecute: () => clock.hang(5_000),
    });
    expect(seen.requests).toHaveLength(1);
    expect(seen.orphans).toBe(0);
    expect(seen.outcomes).toMatchObject([{ kind: "stopped", limit: "time", turns: 1, time: 5_000 }]);
  });

  where("time")("a tool call that hangs can be followed by an answer without tools", async () => {
    const clock = new ManualClock();
    const seen = await play({
      limits: { time: { max: 5_000, onExhausted: "synthesize" }, clock },
      model: untilToolsAreGone,
      onExecute: () => clock.hang(5_000),
    });
    expect(seen.requests.map(({ tools }) => tools.length)).toEqual([1, 0]);
    expect(seen.answer).toBe("partial");
    expect(seen.outcomes).toMatchObject([{ kind: "salvaged", limit: "time" }]);
  });

  where("time")("a request that stalls is cut off when the time is up", async () => {
    const clock = new ManualClock();
    const model = ({ index }: SeenRequest): Reply => {
      if (index < 2) return { calls: 1 };
      void clock.hang(5_000);
      return { stalls: true };
    };
    const seen = await play({ limits: { time: 5_000, clock }, model });
    expect(seen.requests).toHaveLength(2);
    expect(seen.executed).toHaveLength(1);
    expect(seen.outcomes).toMatchObject([{ kind: "stopped", limit: "time", turns: 2 }]);
  });

  where("ask")("a person can be asked while a tool call hangs, and a no cuts it off", async () => {
    const clock = new ManualClock();
    const asked: string[] = [];
    const ask: AdapterOptions["ask"] = ({ limit }) => {
      asked.push(limit);
      return false;
    };
    const seen = await play({
      limits: { time: 5_000, clock, ask },
      model: endless,
      onExecute: () => clock.hang(5_000),
    });
    expect(asked).toEqual(["time"]);
    expect(seen.requests).toHaveLength(1);
    expect(seen.outcomes).toMatchObject([{ kind: "declined", limit: "time" }]);
  });

  where("calls")("of 12 parallel calls under a limit of 5 for the tool exactly the first 5 run", async () => {
    const seen = await play({ limits: { tools: { work: 5 } }, model: twelveAtOnce });
    expect(seen.executed).toEqual([1, 2, 3, 4, 5].map((n) => callId(1, n)));
    expect(seen.requests).toHaveLength(1);
    expect(seen.orphans).toBe(0);
    expect(seen.outcomes).toMatchObject([{ kind: "stopped", limit: "tools.work", steps: 5 }]);
    expect(seen.error).toBeUndefined();
  });

  where("calls")("a limit for another tool stops nothing", async () => {
    const seen = await play({ limits: { turns: 2, tools: { play: 1 } }, model: twelveAtOnce });
    expect(seen.executed).toHaveLength(24);
  });

  where("calls")(
    "a call repeated with the same result is refused once, then the run is stopped",
    async () => {
      const seen = await play({ limits: { repeats: 3 }, model: () => ({ calls: 1, same: "again" }) });
      expect(seen.executed).toHaveLength(3);
      expect(seen.requests).toHaveLength(5);
      expect(told(seen.requests.at(-1), "It will not change")).toBe(true);
      expect(seen.orphans).toBe(0);
      expect(seen.outcomes).toMatchObject([{ kind: "stopped", limit: "repeats", steps: 3 }]);
    },
  );

  where("calls")("two calls that alternate, each with the same result, are a loop too", async () => {
    const model = ({ index }: SeenRequest): Reply => ({ calls: 1, same: index % 2 ? "one" : "other" });
    const seen = await play({ limits: { repeats: 3 }, model });
    expect(seen.executed).toEqual(["one", "other", "one", "other", "one", "other"]);
    expect(seen.requests).toHaveLength(8);
    expect(seen.outcomes).toMatchObject([{ kind: "stopped", limit: "repeats", steps: 6 }]);
  });

  where("calls")("polling is not a loop: another result starts it over", async () => {
    const results = ["waiting", "waiting", "ready", "waiting", "waiting", "ready"];
    const seen = await play({
      limits: { turns: 6, repeats: 3 },
      model: () => ({ calls: 1, same: "again" }),
      onExecute: () => results.shift(),
    });
    expect(seen.executed).toHaveLength(6);
    expect(seen.outcomes).toMatchObject([{ kind: "stopped", limit: "turns" }]);
  });

  where("spending")("limits of one's own combine with the others", async () => {
    const answers = { name: "answers", max: 2, used: ({ turns }: { turns: number }) => turns };
    const steps = { name: "work", max: 9, used: ({ steps }: { steps: number }) => steps };
    const seen = await play({ limits: { turns: 5, limits: [anyOf([steps, answers])] }, model: endless });
    expect(seen.requests).toHaveLength(2);
    expect(seen.outcomes).toMatchObject([{ kind: "stopped", limit: "answers" }]);
  });

  where("selfCheck")(
    "a turn counter that is broken is noticed before a request is sent too many",
    async () => {
      const seen = await broken("begin", () => play({ limits: { turns: 3 }, model: endless }));
      expect(seen.requests).toHaveLength(3);
      expect(seen.outcomes).toMatchObject([{ kind: "limit-overrun", limit: "turns" }]);
    },
  );
}

async function broken(counter: "begin", work: () => Promise<Observed>): Promise<Observed> {
  const spy = vi.spyOn(TurnLimit.prototype, counter).mockImplementation(() => {});
  try {
    return await work();
  } finally {
    spy.mockRestore();
  }
}

function told(request: SeenRequest | undefined, text: string): boolean {
  return request?.texts.some((said) => said.includes(text)) ?? false;
}
