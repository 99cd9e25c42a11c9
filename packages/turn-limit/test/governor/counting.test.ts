import { expect, test } from "vitest";
import { createGovernor, type Governor, type GovernorOptions } from "../../src/index.ts";
import { callTool, change, saved, used } from "../helpers/runs.ts";

const KINDS = ["turns", "requests", "steps", "tokens", "cost", "time", "tools", "repeats"] as const;
type Kind = (typeof KINDS)[number];

/** How much of each kind of limit it takes. An answer takes 10 tokens and $0.50, and everything takes a second. */
const TAKEN = {
  //             turns requests steps tokens cost  time  tools repeats
  retry: /*     */ [0, 1, 0, 10, 0.5, 1_000, 0, 0],
  aside: /*     */ [0, 1, 0, 10, 0.5, 1_000, 0, 0],
  compaction: /**/ [0, 0, 0, 10, 0.5, 1_000, 0, 0],
  nested: /*    */ [0, 0, 0, 10, 0.5, 1_000, 0, 0],
  synthesis: /* */ [1, 1, 0, 10, 0.5, 1_000, 0, 0],
  refusal: /*   */ [0, 0, 0, 0, 0, 1_000, 0, 0],
  waiting: /*   */ [0, 0, 0, 0, 0, 0, 0, 0],
  turn: /*      */ [1, 1, 0, 10, 0.5, 1_000, 0, 0],
  call: /*      */ [0, 0, 1, 0, 0, 1_000, 1, 1],
} as const;
type Activity = keyof typeof TAKEN;

const IN_WORDS: Record<Activity, string> = {
  retry: "a request that is made again",
  aside: "a request besides the turns",
  compaction: "a compaction",
  nested: "what a tool call spends by itself",
  synthesis: "the answer without tools",
  refusal: "a call that is refused",
  waiting: "waiting for a person",
  turn: "a turn",
  call: "a call that runs",
};

const REPEATS = 9;
const USAGE = { input: 7, output: 3, cost: 0.5 };

const OPTIONS: GovernorOptions = {
  turns: 50,
  requests: 50,
  steps: 50,
  tokens: 1_000,
  cost: 50,
  time: 60_000,
  tools: { bash: 40 },
  repeats: REPEATS,
  canAsk: true,
};

interface Scene {
  options?: GovernorOptions;
  /** What has to happen before it. */
  before(governor: Governor): void;
  /** It begins. Then a second passes. */
  begins(governor: Governor): void;
  /** It is over. */
  ends(governor: Governor): void;
}

const SCENES: Record<Activity, Scene> = {
  retry: {
    before: (governor) => {
      governor.beforeTurn();
      governor.turnEnded("failed");
    },
    begins: (governor) => expect(governor.beforeTurn().kind).toBe("proceed"),
    ends: (governor) => governor.turnEnded({ usage: USAGE }),
  },
  aside: {
    before: takeTurn,
    begins: (governor) => expect(governor.beforeTurn({ as: "aside" }).kind).toBe("proceed"),
    ends: (governor) => governor.turnEnded({ usage: USAGE }),
  },
  compaction: {
    before: takeTurn,
    begins: () => {},
    ends: (governor) => governor.spend("compaction", USAGE),
  },
  nested: {
    before: (governor) => {
      governor.beforeTurn();
      governor.beforeStep({ tool: "bash", args: {} });
    },
    begins: () => {},
    ends: (governor) => governor.spend("nested", USAGE),
  },
  synthesis: {
    options: { turns: { max: 1, headless: "synthesize" }, canAsk: false },
    before: () => {},
    begins: (governor) => expect(governor.beforeTurn().kind).toBe("synthesize"),
    ends: (governor) => governor.turnEnded({ usage: USAGE }),
  },
  refusal: {
    options: { tools: { bash: 1 } },
    before: (governor) => governor.beforeTurn(),
    begins: (governor) => expect(callTool(governor, "bash").kind).toBe("refuse"),
    ends: () => {},
  },
  waiting: {
    before: (governor) => governor.beforeTurn(),
    begins: (governor) => {
      governor.waiting(true);
    },
    ends: (governor) => {
      governor.waiting(false);
    },
  },
  turn: {
    before: () => {},
    begins: (governor) => expect(governor.beforeTurn().kind).toBe("proceed"),
    ends: (governor) => governor.turnEnded({ usage: USAGE }),
  },
  call: {
    before: (governor) => governor.beforeTurn(),
    begins: (governor) => expect(governor.beforeStep({ tool: "bash", args: {} }).kind).toBe("proceed"),
    ends: (governor) => governor.stepEnded({ result: "done" }),
  },
};

/** Each way in which a host can see how much of a kind is used. */
const READINGS: Record<Kind, (governor: Governor) => (number | undefined)[]> = {
  turns: (governor) => [used(governor, "turns"), governor.view.totals.turns, used(governor, "turns")],
  requests: (governor) => [governor.view.totals.requests, used(governor, "requests")],
  steps: (governor) => [governor.view.totals.steps, governor.view.totals.steps, used(governor, "steps")],
  tokens: (governor) => [governor.view.totals.input + governor.view.totals.output, used(governor, "tokens")],
  cost: (governor) => [governor.view.totals.cost, used(governor, "cost")],
  // Not what is used of the limit: the answer without tools has a round of its own.
  time: (governor) => [governor.view.totals.time],
  tools: (governor) => [governor.view.totals.calls.bash, used(governor, "tools.bash")],
  repeats: (governor) => [REPEATS - admittedOnceMore(governor)],
};

const CELLS = Object.entries(TAKEN).flatMap(([activity, amounts]) =>
  KINDS.map((kind, column) => ({
    activity: activity as Activity,
    what: IN_WORDS[activity as Activity],
    kind,
    amount: amounts[column] ?? Number.NaN,
  })),
);

test("there are 9 things that a run does and 8 kinds of limits", () => {
  expect(CELLS).toHaveLength(72);
});

test.each(CELLS)("$what takes $amount of $kind [TurnCounts] [CallCounts]", ({ activity, kind, amount }) => {
  const { options, before, begins, ends } = SCENES[activity];
  const governor = createGovernor({ ...OPTIONS, ...options });
  governor.timeIs(0);
  governor.prompt();
  takeTurn(governor);
  before(governor);
  const earlier = READINGS[kind](governor);

  begins(governor);
  governor.timeIs(2_000);
  ends(governor);

  const taken = READINGS[kind](governor).map((later, index) => Number(later) - Number(earlier[index]));
  expect(taken).toEqual(earlier.map(() => amount));
});

/** A turn of a second with one call. */
function takeTurn(governor: Governor): void {
  governor.beforeTurn();
  callTool(governor, "bash");
  governor.timeIs(1_000);
  governor.turnEnded({ usage: USAGE });
}

/** How often the call would run once more, with the same result, before it is seen as a repeat. */
function admittedOnceMore(governor: Governor): number {
  const copy = saved(governor, { canAsk: true });
  copy.settled();
  change(copy, { tools: {} });
  for (let calls = 0; ; calls += 1) {
    const decision = callTool(copy, "bash");
    if (decision.kind !== "proceed") {
      expect(decision.limit).toBe("repeats");
      return calls;
    }
  }
}
