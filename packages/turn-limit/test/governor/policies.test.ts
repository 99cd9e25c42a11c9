import { expect, test } from "vitest";
import {
  anyOf,
  createGovernor,
  type Governor,
  type GovernorOptions,
  type Headless,
  isStepLimitExceeded,
  limitError,
  type OnExhausted,
  type PolicyBefore,
  type StepDecision,
  type Stop,
} from "../../src/index.ts";
import { callTool, promptedAtZero, turnWithSteps, whyRefused } from "../helpers/runs.ts";

/** Those of a limit that does not start over by itself. */
type OwnPolicy = Exclude<OnExhausted, "wait">;
type Policy = { onExhausted?: OwnPolicy; headless?: Exclude<Headless, "wait"> };
type PolicyOfTurns = Partial<PolicyBefore<"turn">>;

interface Kind {
  limit: string;
  /** Of one thing there may be one. */
  options(policy: Policy): GovernorOptions;
  /** The last call of a turn in which the limit is reached, for limits of calls. */
  isOfCalls?: true;
}

const answers = { name: "answers", max: 1, used: ({ turns }: { turns: number }) => turns };
const work = { name: "work", max: 1, used: ({ steps }: { steps: number }) => steps, before: "step" } as const;

const KINDS: Kind[] = [
  { limit: "turns", options: (policy) => ({ turns: { max: 1, ...(policy as PolicyOfTurns) } }) },
  { limit: "tokens", options: (policy) => ({ tokens: { max: 1, ...(policy as PolicyOfTurns) } }) },
  { limit: "cost", options: (policy) => ({ cost: { max: 1, ...(policy as PolicyOfTurns) } }) },
  { limit: "time", options: (policy) => ({ time: { max: 1, ...(policy as PolicyOfTurns) } }) },
  { limit: "answers", options: (policy) => ({ limits: [{ ...answers, ...policy }] }) },
  { limit: "answers", options: (policy) => ({ limits: [anyOf([answers, work], policy)] }) },
  { limit: "steps", options: (policy) => ({ steps: { max: 1, ...policy } }), isOfCalls: true },
  { limit: "tools.bash", options: (policy) => ({ tools: { bash: { max: 1, ...policy } } }), isOfCalls: true },
  { limit: "repeats", options: (policy) => ({ repeats: { max: 1, ...policy } }), isOfCalls: true },
  { limit: "work", options: (policy) => ({ limits: [{ ...work, ...policy }] }), isOfCalls: true },
  { limit: "work", options: (policy) => ({ limits: [anyOf([work], policy)] }), isOfCalls: true },
];

/** A governor whose limit is used up, and what was decided about the call too many. */
function usedUp({ limit, options, isOfCalls }: Kind, policy: Policy, canAsk: boolean) {
  const governor = promptedAtZero({ ...options(policy), canAsk });
  // A repeat is told to the model once before it counts.
  const turns = limit === "repeats" ? 2 : 1;
  let call: StepDecision | undefined;
  for (let turn = 0; turn < turns; turn += 1) {
    governor.beforeTurn();
    call = callTool(governor, "bash");
    if (isOfCalls && call.kind === "proceed") call = callTool(governor, "bash");
    governor.timeIs(1);
    governor.turnEnded({ usage: { input: 1, output: 0, cost: 1 } });
  }
  return { governor, call };
}

interface Case {
  kind: Kind;
  limit: string;
  policy: Policy;
  said: string;
  canAsk: boolean;
}

/** How each limit before a turn, or before a call, can be told to do this. */
function told(action: OwnPolicy, before: "turn" | "call"): Case[] {
  const said: [Policy, boolean][] = [[{ onExhausted: action }, true]];
  if (action !== "ask") {
    said.push([{ onExhausted: action }, false]);
    said.push([{ onExhausted: "ask", headless: action }, false]);
  }
  return KINDS.filter(({ isOfCalls = false }) => isOfCalls === (before === "call")).flatMap((kind) =>
    said.map(([policy, canAsk]) => {
      return { kind, limit: kind.limit, policy, said: JSON.stringify(policy), canAsk };
    }),
  );
}

/** Where the limit is used up, what is decided about the call too many and about the next turn. */
function decided({ kind, policy, canAsk }: Case) {
  const { governor, call } = usedUp(kind, policy, canAsk);
  return { governor, call, turn: governor.beforeTurn() };
}

test.each(told("ask", "turn"))("before a turn, a limit of $limit with $said asks [LimitReached]", (some) => {
  expect(decided(some).turn).toMatchObject({ kind: "ask", limit: some.limit, used: 1, max: 1 });
});

test.each(told("stop", "turn"))(
  "before a turn, a limit of $limit with $said stops the run, where somebody can be asked: $canAsk [LimitStops]",
  (some) => void expectStop(some),
);

test.each(told("raise", "turn"))(
  "before a turn, a limit of $limit with $said raises, where somebody can be asked: $canAsk [LimitRaises] [RunRaises]",
  (some) => void expectRaised(some),
);

test.each(told("synthesize", "turn"))(
  "before a turn, a limit of $limit with $said has one tools-free turn, where somebody can be asked: $canAsk [LimitSynthesizes]",
  (some) => {
    expect(decided(some).turn).toMatchObject({ kind: "synthesize", limit: some.limit, used: 1, max: 1 });
  },
);

test.each(told("ask", "call"))(
  "a call beyond a limit of $limit with $said is refused, and before the next turn it asks [CallRefused] [LimitReached]",
  (some) => {
    const { call, turn } = decided(some);
    expect(call).toMatchObject({ kind: "refuse", limit: some.limit, used: 1 });
    expect(turn).toMatchObject({ kind: "ask", limit: some.limit, used: 1, max: 1 });
  },
);

test.each(told("stop", "call"))(
  "a call beyond a limit of $limit with $said stops the run, where somebody can be asked: $canAsk [CallStops]",
  (some) => {
    expect(expectStop(some)).toMatchObject({ kind: "refuse", limit: some.limit, used: 1 });
  },
);

test.each(told("raise", "call"))(
  "a call beyond a limit of $limit with $said raises, where somebody can be asked: $canAsk [CallRaises] [RunRaises]",
  (some) => {
    expect(expectRaised(some)).toMatchObject({ kind: "refuse", limit: some.limit, used: 1 });
  },
);

test.each(told("synthesize", "call"))(
  "a call beyond a limit of $limit with $said makes a tools-free turn due, where somebody can be asked: $canAsk [CallSynthesizes]",
  (some) => {
    const { call, turn } = decided(some);
    expect(call).toMatchObject({ kind: "synthesize", limit: some.limit, used: 1 });
    expect(turn).toMatchObject({ kind: "synthesize", limit: some.limit, used: 1, max: 1 });
  },
);

test.each(told("refuse", "call"))(
  "a call beyond a limit of $limit with $said is refused, and the run goes on, where somebody can be asked: $canAsk [CallOnlyRefused]",
  (some) => {
    const { call, turn } = decided(some);
    expect(call).toMatchObject({ kind: "refuse", limit: some.limit, used: 1 });
    expect(turn).toEqual({ kind: "proceed" });
  },
);

/** The run is over without an error. Gives what was decided about the call too many. */
function expectStop(some: Case): StepDecision | undefined {
  const { governor, call, turn } = decided(some);
  const { limit } = some;
  expect(turn).toMatchObject({ kind: "stop", outcome: "stopped", raises: false, limit, used: 1, max: 1 });
  expect(governor.settled()).toMatchObject({ kind: "stopped", limit });
  expect(limitError(turn as Stop)).toBeUndefined();
  return call;
}

/** The run is over with the error of its limit. Gives what was decided about the call too many. */
function expectRaised(some: Case): StepDecision | undefined {
  const { governor, call, turn } = decided(some);
  const { limit } = some;
  expect(turn).toMatchObject({ kind: "stop", outcome: "stopped", raises: true, limit, used: 1, max: 1 });
  expect(governor.settled()).toMatchObject({ kind: "stopped", limit });
  const error = limitError(turn as Stop);
  expect(error).toMatchObject({ limit, used: 1, max: 1 });
  expect(isStepLimitExceeded(error)).toBe(limit === "steps");
  return call;
}

test.each(KINDS.map((kind, index) => ({ ...kind, kind, index })))(
  "a call in the last turn is refused: $limit [StepRefusedAfterExhaustion]",
  ({ kind }) => {
    const { governor } = usedUp(kind, { onExhausted: "synthesize" }, false);
    expect(governor.beforeTurn().kind).toBe("synthesize");
    expect(callTool(governor, "bash").kind).toBe("refuse");
  },
);

test.each(KINDS.map((kind, index) => ({ ...kind, kind, index })))(
  "a model that goes on after the last turn all the same is stopped, without an error: $limit [SynthesisNeverRaises] [SynthesisNeverRepeats]",
  ({ kind, limit }) => {
    const { governor } = usedUp(kind, { onExhausted: "synthesize" }, false);
    governor.beforeTurn();
    callTool(governor, "bash");
    governor.turnEnded();
    const stop = governor.beforeTurn();
    expect(stop).toMatchObject({ kind: "stop", outcome: "stopped", limit, raises: false });
    expect(limitError(stop as Stop)).toBeUndefined();
    expect(governor.settled()).toMatchObject({ kind: "stopped", limit });
  },
);

test("neither steps nor time that raise make an error of the last turn [SynthesisNeverRaises] [TimeUpEndsSynthesis]", () => {
  const tokens = { max: 1, onExhausted: "synthesize" } as const;
  const governor = promptedAtZero({ tokens, steps: 1, time: { max: 10, onExhausted: "raise" } });
  governor.beforeTurn();
  governor.turnEnded({ usage: { input: 1, output: 0 } });
  expect(governor.beforeTurn().kind).toBe("synthesize");
  for (let call = 0; call < 3; call += 1) expect(governor.beforeStep().kind).toBe("refuse");
  governor.timeIs(10);
  expect(governor.overdue()).toMatchObject({ kind: "stop", outcome: "stopped", raises: false });
});

test("time that is up in the middle of a turn can raise [TimeUpRaises]", () => {
  const governor = promptedAtZero({ time: { max: 10, onExhausted: "raise" }, canAsk: true });
  governor.beforeTurn();
  governor.timeIs(12);
  const stop = governor.overdue() as Stop;
  expect(stop).toMatchObject({ kind: "stop", outcome: "stopped", raises: true });
  expect(limitError(stop)).toMatchObject({ name: "LimitExceeded", limit: "time", used: 12, max: 10 });
  expect(governor.settled()).toMatchObject({ kind: "stopped", limit: "time" });
});

test("neither a no nor an overrun raises, whatever the policy [RaisingIsAStop]", () => {
  const declined = createGovernor({ turns: 0, canAsk: true });
  declined.beforeTurn();
  expect(declined.answer(false)).toMatchObject({ outcome: "declined", raises: false });

  const steps = { max: 1, onExhausted: "raise" } as const;
  const overrun = createGovernor({ steps });
  overrun.beforeTurn();
  expect(overrun.stepExecuted()).toMatchObject({ outcome: "limit-overrun", raises: false });

  const noEvidence = createGovernor({ turns: { max: 0, onExhausted: "synthesize", headless: "raise" } });
  expect(noEvidence.beforeTurn()).toMatchObject({ outcome: "stopped", raises: false });
});

test("a model without a price is a stop, also where the limit raises [UnpricedModelStops] [RaisingIsAStop]", () => {
  const governor = createGovernor({ cost: { max: 5, onExhausted: "raise", unpriced: "stop" } });
  expect(governor.beforeTurn({ priced: false })).toMatchObject({
    kind: "stop",
    unpriced: true,
    raises: false,
  });
});

test.each(["turns", "tokens", "cost", "time"] as const)(
  "%s cannot be refused: that is for calls [RefuseIsForCalls] [HeadlessNeverAsks]",
  (name) => {
    const governor = createGovernor();
    for (const [option, value] of [
      ["onExhausted", "refuse"],
      ["headless", "refuse"],
      ["headless", "ask"],
    ] as const) {
      const settings = { [name]: { max: 1, [option]: value } };
      for (const act of [() => createGovernor(settings), () => governor.configure(settings)])
        expect(whyRefused(act)).toMatchObject({ setting: `${name}.${option}`, value });
    }
  },
);

test.each(["steps", "tools", "repeats"] as const)(
  "of %s, too, nobody can be asked where there is nobody [HeadlessNeverAsks]",
  (name) => {
    const options = { max: 1, headless: "ask" };
    const settings = name === "tools" ? { tools: { bash: options } } : { [name]: options };
    expect(whyRefused(() => createGovernor(settings as GovernorOptions))).toMatchObject({ value: "ask" });
  },
);

test("calls that are only refused do not keep the run from its other limits [CallOnlyRefused]", () => {
  const governor = promptedAtZero({ turns: 3, steps: { max: 1, onExhausted: "refuse" }, canAsk: true });
  expect([1, 2, 3].map(() => turnWithSteps(governor, 2))).toEqual([
    ["proceed", "refuse"],
    ["refuse", "refuse"],
    ["refuse", "refuse"],
  ]);
  expect(governor.view.exhausted).toBe(false);
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit: "turns" });
});

test("a yes at another limit starts over what only asks, not what is refused [RoundStartsOver] [CallOnlyRefused]", () => {
  const governor = promptedAtZero({ turns: 1, steps: { max: 1, onExhausted: "refuse" }, canAsk: true });
  turnWithSteps(governor, 2);
  governor.beforeTurn();
  governor.answer(true);
  expect(governor.beforeStep().kind).toBe("refuse");
});

test.each<[OwnPolicy, OwnPolicy, string, object | null]>([
  ["raise", "stop", "steps", { limit: "steps", raises: false }],
  ["stop", "raise", "steps", { limit: "steps", raises: true }],
  ["stop", "synthesize", "tools.bash", { limit: "tools.bash", raises: false }],
  ["raise", "ask", "tools.bash", { limit: "tools.bash", raises: true }],
  ["synthesize", "ask", "tools.bash", null],
  ["ask", "synthesize", "steps", null],
  ["refuse", "ask", "steps", null],
  ["ask", "refuse", "tools.bash", null],
])(
  "of a tool that is to %s and steps that are to %s, the strictest decides about a call that both refuse: %s [BoundaryBeforeCall]",
  (tool, steps, limit, stop) => {
    const governor = promptedAtZero({
      tools: { bash: { max: 1, onExhausted: tool } },
      steps: { max: 1, onExhausted: steps },
      canAsk: true,
    });
    governor.beforeTurn();
    callTool(governor, "bash");
    expect(callTool(governor, "bash")).toMatchObject({ limit });
    expect(governor.view.stop).toEqual(stop && expect.objectContaining(stop));
  },
);

test("each limit that refuses a call remembers it, and a yes starts each of them over [BoundaryBeforeCall] [RoundStartsOver]", () => {
  const governor: Governor = promptedAtZero({
    tools: { bash: 1 },
    steps: { max: 1, onExhausted: "ask" },
    canAsk: true,
  });
  governor.beforeTurn();
  callTool(governor, "bash");
  expect(callTool(governor, "bash")).toMatchObject({ kind: "refuse", limit: "steps" });
  governor.turnEnded();
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit: "steps" });
  expect(governor.answer(true)).toEqual({ kind: "proceed" });
  expect(callTool(governor, "bash").kind).toBe("proceed");
  expect(governor.view.standings.map(({ used }) => used)).toEqual([2, 1, 1]);
});
