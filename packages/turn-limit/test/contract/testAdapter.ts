import { describe, expect, test } from "vitest";
import type { AdapterOptions } from "../../src/adapters/shared/AdapterOptions.ts";
import { isStepLimitExceeded } from "../../src/errors/StepLimitExceeded.ts";
import { isUnsupportedOption } from "../../src/errors/UnsupportedOption.ts";
import { DEFAULT_SYNTHESIS_MESSAGE } from "../../src/governor/Synthesis.ts";
import { DEFAULT_WRAP_UP_MESSAGE } from "../../src/limits/GracefulTurnLimit.ts";
import {
  type Capabilities,
  callId,
  type Host,
  type Observed,
  type Reply,
  type Scenario,
  type SeenRequest,
} from "./Host.ts";
import { testBudgets } from "./testBudgets.ts";

/** Plays a scenario on the host, in one of the ways in which it works. */
export type Play = (scenario: Omit<Scenario, "streaming">) => Promise<Observed>;

const endless = (): Reply => ({ calls: 1 });
const endsAt =
  (turn: number) =>
  ({ index }: SeenRequest) =>
    index >= turn ? { text: "done" } : { calls: 1 };
const obedient = ({ texts, tools }: SeenRequest): Reply =>
  tools.length === 0 || texts.some((text) => text.includes(DEFAULT_WRAP_UP_MESSAGE))
    ? { text: "partial" }
    : { calls: 1 };

/** The one contract that every adapter keeps, on the host's real loop. */
export function testAdapter(host: Host): void {
  describe(host.name, () => {
    const ways = host.can.streaming === true ? [false, true] : [false];
    for (const streaming of ways) {
      describe(streaming ? "streaming" : "not streaming", () => contract(host, { streaming }));
    }
    describe("what the host cannot do", () => refusals(host));
  });
}

function contract(host: Host, way: Pick<Scenario, "streaming">): void {
  const { can } = host;
  const play: Play = (scenario) => host.play({ ...way, ...scenario });
  const where = (capability: keyof Capabilities) => (can[capability] === true ? test : test.skip);

  test("a limit of 5 admits exactly 5 turns", async () => {
    const seen = await play({ limits: { turns: 5 }, model: endless });
    expect(seen.requests).toHaveLength(5);
    expect(seen.executed).toHaveLength(5);
    expect(seen.orphans).toBe(0);
    expect(seen.outcomes).toMatchObject([
      { kind: "stopped", limit: "turns", turns: 5, steps: 5, touched: true },
    ]);
  });

  test("a limit of 0 admits none, and unlimited does not end a run", async () => {
    const none = await play({ limits: { turns: 0 }, model: endless });
    expect(none.requests).toHaveLength(0);
    expect(none.outcomes).toMatchObject([{ kind: "stopped", limit: "turns", turns: 0 }]);
    const many = await play({ limits: { turns: "unlimited" }, model: endsAt(40) });
    expect(many.requests).toHaveLength(40);
    expect(many.outcomes).toMatchObject([{ kind: "completed", turns: 40 }]);
  });

  test("finishing on the last turn is no hit", async () => {
    const seen = await play({ limits: { turns: 5 }, model: endsAt(5) });
    expect(seen.requests).toHaveLength(5);
    expect(seen.answer).toBe("done");
    expect(seen.error).toBeUndefined();
    expect(seen.outcomes).toMatchObject([{ kind: "completed", turns: 5, touched: false }]);
  });

  test("a second run starts fresh", async () => {
    const model = ({ index }: SeenRequest): Reply => (index % 3 === 0 ? { text: "done" } : { calls: 1 });
    const seen = await play({ limits: { turns: 3, steps: 2 }, model, prompts: 2 });
    expect(seen.requests).toHaveLength(6);
    expect(seen.outcomes).toMatchObject([
      { kind: "completed", turns: 3 },
      { kind: "completed", turns: 3 },
    ]);
  });

  test("a run after a stopped one starts fresh", async () => {
    const seen = await play({ limits: { turns: 2 }, model: endless, prompts: 2 });
    expect(seen.requests).toHaveLength(4);
    expect(seen.outcomes).toMatchObject([{ kind: "stopped" }, { kind: "stopped", turns: 2 }]);
  });

  where("usage")("what the answers took is in the outcome", async () => {
    const seen = await play({ limits: { turns: 5 }, model: endsAt(3) });
    expect(seen.outcomes[0]?.usage?.input).toBeGreaterThan(0);
    expect(seen.outcomes[0]?.usage?.output).toBeGreaterThan(0);
  });

  where("steps")(
    "8 parallel calls a turn under a step limit of 20: exactly 20 run, in order, none is orphaned",
    async () => {
      const seen = await play({ limits: { steps: 20 }, model: () => ({ calls: 8 }) });
      expect(seen.executed).toEqual(
        [1, 2, 3].flatMap((r) => [1, 2, 3, 4, 5, 6, 7, 8].map((n) => callId(r, n))).slice(0, 20),
      );
      expect(seen.requests).toHaveLength(3);
      expect(seen.orphans).toBe(0);
      expect(seen.outcomes).toMatchObject([{ kind: "stopped", limit: "steps", steps: 20 }]);
      expect(isStepLimitExceeded(seen.error)).toBe(true);
      expect(seen.error).toMatchObject({ max: 20 });
    },
  );

  where("steps")("a run that uses exactly its steps is not touched", async () => {
    const seen = await play({ limits: { steps: 2 }, model: endsAt(3) });
    expect(seen.executed).toHaveLength(2);
    expect(seen.answer).toBe("done");
    expect(seen.outcomes).toMatchObject([{ kind: "completed", steps: 2, touched: false }]);
  });

  where("synthesize")("out of steps, one tools-free turn makes the answer", async () => {
    const seen = await play({
      limits: { steps: { max: 3, onExhausted: "synthesize" } },
      model: salvaging(2),
    });
    expect(seen.executed).toHaveLength(3);
    expect(seen.requests.map(({ tools }) => tools.length)).toEqual([1, 1, 0]);
    expect(seen.requests.at(-1)?.texts.join("\n")).toContain(DEFAULT_SYNTHESIS_MESSAGE);
    expect(seen.orphans).toBe(0);
    expect(seen.answer).toBe("partial");
    expect(seen.error).toBeUndefined();
    expect(seen.outcomes).toMatchObject([{ kind: "salvaged", limit: "steps", steps: 3, turns: 3 }]);
  });

  where("synthesize")(
    "a model that calls a tool in the tools-free turn is stopped: never a second pass",
    async () => {
      const seen = await play({
        limits: { steps: { max: 3, onExhausted: "synthesize" } },
        model: () => ({ calls: 2 }),
      });
      expect(seen.executed).toHaveLength(3);
      expect(seen.requests).toHaveLength(3);
      expect(seen.outcomes[0]?.limit).toBe("steps");
    },
  );

  where("synthesize")(
    "at the turn limit with nobody to ask, the run can end with an answer too",
    async () => {
      const seen = await play({ limits: { turns: { max: 2, headless: "synthesize" } }, model: obedient });
      expect(seen.requests.map(({ tools }) => tools.length)).toEqual([1, 1, 0]);
      expect(seen.answer).toBe("partial");
      expect(seen.outcomes).toMatchObject([{ kind: "salvaged", limit: "turns", turns: 3 }]);
    },
  );

  where("wrapUp")(
    "the wrap-up is sent once, before the right turn, and what the model delivers is the answer",
    async () => {
      const seen = await play({ limits: { turns: { max: 6, grace: 2 } }, model: obedient });
      expect(seen.requests).toHaveLength(5);
      expect(seen.requests.map(isTold)).toEqual([false, false, false, false, true]);
      expect(seen.answer).toBe("partial");
      expect(seen.outcomes).toMatchObject([{ kind: "wrapped-up", turns: 5 }]);
    },
  );

  where("wrapUp")("a model that ignores the wrap-up is stopped at the limit", async () => {
    const seen = await play({ limits: { turns: { max: 6, grace: 2 } }, model: endless });
    expect(seen.requests).toHaveLength(6);
    expect(
      seen.requests.at(-1)?.texts.filter((text) => text.includes(DEFAULT_WRAP_UP_MESSAGE)).length,
    ).toBeLessThan(2);
    expect(seen.outcomes).toMatchObject([{ kind: "stopped", limit: "turns" }]);
  });

  where("wrapUp")("an agent that is done is not told, and takes no further turn", async () => {
    const seen = await play({ limits: { turns: { max: 6, grace: 2 } }, model: endsAt(4) });
    expect(seen.requests).toHaveLength(4);
    expect(seen.outcomes).toMatchObject([{ kind: "completed", touched: false }]);
  });

  where("ask")("a yes gives another round, a no ends the run", async () => {
    const asked: number[] = [];
    const answers = [true, true, false];
    const ask: AdapterOptions["ask"] = ({ used }) => {
      asked.push(used);
      return answers.shift() ?? false;
    };
    const seen = await play({ limits: { turns: 3, ask }, model: endless });
    expect(asked).toEqual([3, 3, 3]);
    expect(seen.requests).toHaveLength(9);
    expect(seen.outcomes).toMatchObject([{ kind: "declined", limit: "turns", turns: 9, rounds: 3 }]);
  });

  where("ask")("a question that fails is a no", async () => {
    const seen = await play({
      limits: { turns: 2, ask: () => Promise.reject(new Error("no screen")) },
      model: endless,
    });
    expect(seen.requests).toHaveLength(2);
    expect(seen.outcomes).toMatchObject([{ kind: "declined" }]);
  });

  where("ask")("a run aborted while the question is open was aborted, not declined", async () => {
    const abort = new AbortController();
    const ask = () => {
      abort.abort();
      return new Promise<boolean>(() => {});
    };
    const seen = await play({ limits: { turns: 2, ask }, model: endless, signal: abort.signal });
    expect(seen.requests).toHaveLength(2);
    expect(seen.outcomes).toMatchObject([{ kind: "aborted" }]);
  });

  where("abort")("an aborted run takes no further turn", async () => {
    const abort = new AbortController();
    const seen = await play({
      limits: { turns: 9 },
      model: endless,
      signal: abort.signal,
      onExecute: (id) => {
        if (id === callId(2, 1)) abort.abort();
      },
    });
    expect(seen.requests).toHaveLength(2);
    expect(seen.outcomes).toMatchObject([{ kind: "aborted" }]);
  });

  where("retries")("a request that fails and is retried is one turn", async () => {
    const model = ({ index }: SeenRequest): Reply =>
      index === 2 || index === 3 ? { fails: true } : { calls: 1 };
    const seen = await play({ limits: { turns: 3 }, model });
    expect(seen.executed).toHaveLength(3);
    expect(seen.requests).toHaveLength(5);
    expect(seen.outcomes).toMatchObject([{ kind: "stopped", turns: 3 }]);
  });

  testBudgets(host, play);
}

function refusals({ can, make }: Host): void {
  const options: [keyof Capabilities, AdapterOptions][] = [
    ["ask", { ask: () => true }],
    ["steps", { steps: 5 }],
    ["wrapUp", { turns: { max: 5, grace: 1 } }],
    ["synthesize", { steps: { max: 5, onExhausted: "synthesize" } }],
    ["synthesize", { turns: { max: 5, headless: "synthesize" } }],
    ["spending", { tokens: 5 }],
    ["spending", { cost: 5 }],
    ["time", { time: 5 }],
    ["calls", { tools: { work: 5 } }],
    ["calls", { repeats: 5 }],
  ];
  test("is refused with a clear error instead of ignored", () => {
    for (const [capability, limits] of options) {
      const refused = attempt(() => make(limits));
      if (can[capability] === true) expect(refused).toBeUndefined();
      else expect(isUnsupportedOption(refused)).toBe(true);
    }
  });
}

const salvaging =
  (calls: number) =>
  ({ tools }: SeenRequest): Reply =>
    tools.length === 0 ? { text: "partial" } : { calls };

function isTold({ texts }: SeenRequest): boolean {
  return texts.some((text) => text.includes(DEFAULT_WRAP_UP_MESSAGE));
}

function attempt(make: () => unknown): unknown {
  try {
    make();
    return undefined;
  } catch (error) {
    return error;
  }
}
