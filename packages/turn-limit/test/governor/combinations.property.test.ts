import fc from "fast-check";
import { expect, test } from "vitest";
import {
  allOf,
  anyOf,
  type CustomLimit,
  createGovernor,
  type Governor,
  type GovernorOptions,
  type Limit,
  type Reply,
  type Totals,
  type TurnDecision,
} from "../../src/index.ts";

/** What a run would do if nothing stopped it. */
interface Turn {
  usage: { input: number; output: number; cost: number };
  ms: number;
  calls: string[];
}

/** What was admitted of it. */
interface Admitted {
  turns: number;
  steps: number;
}

const RUNS = { numRuns: 300 };

const anyTurn: fc.Arbitrary<Turn> = fc.record({
  usage: fc.record({ input: fc.nat(50), output: fc.nat(50), cost: fc.nat(30).map((cents) => cents / 100) }),
  ms: fc.nat(1_000),
  calls: fc.array(fc.constantFrom("bash", "read"), { maxLength: 4 }),
});
const anyHistory = fc.array(anyTurn, { minLength: 1, maxLength: 10, size: "max" });

/** What a limit of one's own can measure, and how much of it may be a maximum. */
const MEASURES: Record<string, { used: (spent: Totals) => number; most: number }> = {
  turns: { used: ({ turns }) => turns, most: 10 },
  steps: { used: ({ steps }) => steps, most: 20 },
  tokens: { used: ({ input, output }) => input + output, most: 500 },
  cost: { used: ({ cost }) => cost, most: 2 },
  time: { used: ({ time }) => time, most: 5_000 },
  calls: { used: (spent) => spent.calls.bash ?? 0, most: 10 },
};

/** A limit of one's own, or a group of them, before they have names. */
type Tree = { measure: string; share: number } | { anyOf: Tree[] } | { allOf: Tree[] };

const { tree: anyTree } = fc.letrec<{ tree: Tree; leaf: Tree }>((tie) => ({
  leaf: fc.record({ measure: fc.constantFrom(...Object.keys(MEASURES)), share: fc.nat(20) }),
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    tie("leaf"),
    fc.record({ anyOf: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }) }),
  ),
}));

const anyToolLimit = fc.record({ max: fc.nat(10), headless: fc.constant("stop" as const) });

/** The limits that come with the package, each by itself. */
const anyBuiltIn: fc.Arbitrary<GovernorOptions> = fc.oneof(
  fc.record({ turns: fc.nat(10) }),
  fc.record({ steps: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ tokens: fc.record({ max: fc.nat(500), onExhausted: fc.constant("stop" as const) }) }),
  fc.record({ cost: fc.nat(200).map((cents) => cents / 100) }),
  fc.record({ time: fc.nat(5_000) }),
  fc.record({ tools: fc.record({ bash: anyToolLimit }) }),
  fc.record({ tools: fc.record({ read: anyToolLimit }) }),
);

/** Limits of one's own that are asked before each call. */
const anyCallLimit = fc.record({ share: fc.nat(20), tool: fc.constantFrom(undefined, "bash", "read") });

const anyMember: fc.Arbitrary<(index: number) => GovernorOptions> = fc.oneof(
  anyBuiltIn.map((options) => () => options),
  anyTree.map((tree) => (index: number) => ({ limits: [limitOf(tree, `${index}`)] })),
  anyCallLimit.map(({ share, tool }) => (index: number) => {
    const limit = {
      name: `${index}`,
      max: share,
      used: ({ steps }: Totals) => steps,
      before: "step",
    } as const;
    return { limits: [tool ? { ...limit, tool } : limit] };
  }),
);

test("several limits together admit exactly as much as the one of them that would stop the run first [BudgetNeverAdmitsAtItsBoundary]", () => {
  const members = fc.array(anyMember, { minLength: 1, maxLength: 6, size: "max" });
  const property = fc.property(members, anyHistory, (made, history) => {
    const each = Object.values(oneOfAKind(made.map((make, index) => make(index))));
    const alone = each.map((options) => play(options, history));
    const together = play(combined(each), history);
    for (const { turns, steps } of alone) {
      expect(together.turns).toBeLessThanOrEqual(turns);
      expect(together.steps).toBeLessThanOrEqual(steps);
    }
    expect(together).toEqual(least(alone));
  });
  fc.assert(property, RUNS);
});

test("any of several admits what the smallest of them admits alone, all of several what the largest does", () => {
  const property = fc.property(anyTree, anyHistory, (tree, history) => {
    const admitted = play({ limits: [limitOf(tree, "mine")] }, history);
    expect(admitted).toEqual(predicted(tree, history));
  });
  fc.assert(property, RUNS);
});

test("any and all of the same limits admit no less and no more than each of them", () => {
  const trees = fc.array(anyTree, { minLength: 1, maxLength: 4 });
  const property = fc.property(trees, anyHistory, (members, history) => {
    const alone = members.map((tree) => play({ limits: [limitOf(tree, "mine")] }, history));
    expect(play({ limits: [limitOf({ anyOf: members }, "mine")] }, history)).toEqual(least(alone));
    expect(play({ limits: [limitOf({ allOf: members }, "mine")] }, history)).toEqual(most(alone));
  });
  fc.assert(property, RUNS);
});

test("what was spent is what somebody counts who only sees what is admitted, whatever a person replies", () => {
  const anyReply = fc.constantFrom<Reply[]>(true, { more: 2 }, "unlimited", "wrap-up", false);
  const anyPolicy = fc.constantFrom("ask", "stop", "synthesize");
  const settings = fc.record({
    turns: fc.nat(4),
    tokens: fc.record({ max: fc.nat(200), onExhausted: anyPolicy, reserve: fc.nat(100) }),
    tools: fc.record({ bash: fc.record({ max: fc.nat(4), onExhausted: anyPolicy }) }),
    steps: fc.record({
      max: fc.integer({ min: 1, max: 20 }),
      onExhausted: fc.constantFrom("raise", "synthesize"),
    }),
    canAsk: fc.boolean(),
  });
  const turns = fc.array(fc.tuple(anyTurn, anyReply, fc.boolean()), { maxLength: 20, size: "max" });
  const property = fc.property(settings, turns, (options, life) => {
    const governor = createGovernor(options as GovernorOptions);
    governor.prompt();
    const onlooker = new Onlooker();
    for (const [{ usage, calls }, reply, fails] of life) {
      onlooker.sawTurn(decided(governor, reply));
      for (const tool of calls) onlooker.sawCall(tool, governor.beforeStep({ tool }).kind);
      governor.turnEnded({ usage, ...(fails && { failure: "failed" }) });
      onlooker.sawAnswer(usage, fails);
    }
    expect(governor.view.totals).toMatchObject(onlooker.spent);
  });
  fc.assert(property, RUNS);
});

/** Counts for itself what is admitted. Only whether a request is made again it has to know. */
class Onlooker {
  readonly spent = {
    turns: 0,
    steps: 0,
    time: 0,
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    cost: 0,
    calls: {} as Record<string, number>,
  };
  #cents = 0;
  #failed = false;
  #salvaged = false;
  #sent = false;

  sawTurn(kind: TurnDecision["kind"]): void {
    this.#sent = kind !== "ask" && kind !== "stop";
    if (!this.#sent) return;
    const isNewLastOne = kind === "synthesize" && !this.#salvaged;
    if (!this.#failed || isNewLastOne) this.spent.turns += 1;
    this.#salvaged ||= kind === "synthesize";
    this.#failed = false;
  }

  sawCall(tool: string, kind: string): void {
    if (kind !== "proceed") return;
    this.spent.steps += 1;
    this.spent.calls[tool] = (this.spent.calls[tool] ?? 0) + 1;
  }

  sawAnswer({ input, output, cost }: Turn["usage"], failed: boolean): void {
    this.spent.input += input;
    this.spent.output += output;
    this.#cents += Math.round(cost * 100);
    this.spent.cost = this.#cents / 100;
    if (this.#sent) this.#failed = failed;
  }
}

/** What is decided about a turn, after a person's reply if one is asked. */
function decided(governor: Governor, reply: Reply): TurnDecision["kind"] {
  const { kind } = governor.beforeTurn();
  return kind === "ask" ? governor.answer(reply).kind : kind;
}

/** Lives through the history with nobody to ask, until it is stopped. */
function play(options: GovernorOptions, history: Turn[]): Admitted {
  const governor = createGovernor({ turns: "unlimited", ...options });
  const admitted = { turns: 0, steps: 0 };
  let now = 0;
  governor.timeIs(now);
  governor.prompt();
  for (const { calls, ms, usage } of history) {
    if (governor.beforeTurn().kind !== "proceed") break;
    admitted.turns += 1;
    for (const tool of calls) if (governor.beforeStep({ tool }).kind === "proceed") admitted.steps += 1;
    now += ms;
    governor.timeIs(now);
    governor.turnEnded({ usage });
  }
  expect(governor.view.totals).toMatchObject(admitted);
  expect(governor.settled()).toMatchObject(admitted);
  return admitted;
}

/** What a tree of limits must admit, by what each of its leaves admits alone. */
function predicted(tree: Tree, history: Turn[]): Admitted {
  if ("anyOf" in tree) return least(tree.anyOf.map((member) => predicted(member, history)));
  if ("allOf" in tree) return most(tree.allOf.map((member) => predicted(member, history)));
  return play({ limits: [limitOf(tree, "alone")] }, history);
}

function least(all: Admitted[]): Admitted {
  return {
    turns: Math.min(...all.map(({ turns }) => turns)),
    steps: Math.min(...all.map(({ steps }) => steps)),
  };
}

function most(all: Admitted[]): Admitted {
  return {
    turns: Math.max(...all.map(({ turns }) => turns)),
    steps: Math.max(...all.map(({ steps }) => steps)),
  };
}

/** The limit that a tree is. Limits must have names of their own. */
function limitOf(tree: Tree, name: string): Limit {
  const named = (member: Tree, index: number) => limitOf(member, `${name}.${index}`);
  if ("anyOf" in tree) return anyOf(tree.anyOf.map(named));
  if ("allOf" in tree) return allOf(tree.allOf.map(named));
  const { used, most: largest } = MEASURES[tree.measure] as { used: CustomLimit["used"]; most: number };
  return { name, max: (largest * tree.share) / 20, used };
}

/** A governor has one limit of each kind, and any number of one's own. */
function oneOfAKind(members: GovernorOptions[]): Record<string, GovernorOptions> {
  return Object.fromEntries(
    members.map((options, index) => [options.limits ? `${index}` : Object.keys(options).join(), options]),
  );
}

function combined(members: GovernorOptions[]): GovernorOptions {
  return Object.assign({}, ...members, { limits: members.flatMap(({ limits = [] }) => limits) });
}
