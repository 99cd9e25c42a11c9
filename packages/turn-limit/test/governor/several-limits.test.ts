import { expect, test } from "vitest";
import {
  type AnyOf,
  allOf,
  anyOf,
  type CustomLimit,
  costLimit,
  createGovernor,
  type Governor,
  type GovernorOptions,
  InvalidLimit,
  type PolicyBefore,
  tokenLimit,
  toolLimit,
} from "../../src/index.ts";
import { named } from "../helpers/named.ts";
import { callTool, callTools, prompted, takeSteps, turnTaking, used } from "../helpers/runs.ts";

const answers: CustomLimit = { name: "answers", max: 1, used: ({ turns }) => turns };
const words: CustomLimit = { name: "words", max: 10, used: ({ output }) => output };

/** Limits that are all reached once {@link busyRun} took its three turns, in the order in which they are reported. */
const LIMITS: [string, GovernorOptions][] = [
  ["turns", { turns: 3 }],
  ["tokens", { tokens: 30 }],
  ["cost", { cost: 3 }],
  ["time", { time: 3_000 }],
  ["tools.bash", { tools: { bash: 1 } }],
  ["repeats", { repeats: 1 }],
  ["answers", { limits: [{ ...answers, max: 3 }] }],
];

type Policy = PolicyBefore<"turn">["onExhausted"];

test("of several limits that are reached at once the first is asked about, in one order [BoundaryBeforeTurn]", () => {
  const asked = LIMITS.map((_, index) => busyRun(LIMITS.slice(index)).beforeTurn());
  expect(asked).toEqual(LIMITS.map(([limit]) => expect.objectContaining({ kind: "ask", limit })));
});

test("a run that is out of steps is stopped by the step limit, whatever else is reached", () => {
  const governor = busyRun([...LIMITS, ["steps", { steps: 2 }]]);
  governor.settled();
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", limit: "steps" });
});

test("a model without a price stops the run before any other limit is asked about", () => {
  const governor = prompted({ turns: 1, cost: { max: 1, unpriced: "stop" }, canAsk: true });
  turnTaking(governor, { input: 1 });
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", ...named("cost"), unpriced: true });
});

test.each<[Policy, Policy, string, string]>([
  ["ask", "stop", "stop", "cost"],
  ["stop", "ask", "stop", "tokens"],
  ["ask", "synthesize", "synthesize", "cost"],
  ["synthesize", "stop", "stop", "cost"],
  ["stop", "synthesize", "stop", "tokens"],
  ["synthesize", "synthesize", "synthesize", "tokens"],
  ["stop", "stop", "stop", "tokens"],
  ["ask", "ask", "ask", "tokens"],
])(
  "of tokens that %s and cost that is to %s, the strictest comes first: %s, by %s [BoundaryBeforeTurn]",
  (first, second, kind, limit) => {
    const governor = prompted({
      tokens: { max: 10, onExhausted: first },
      cost: { max: 1, onExhausted: second },
      canAsk: true,
    });
    turnTaking(governor, { input: 10, cost: 1 });
    expect(governor.beforeTurn()).toMatchObject({ kind, limit });
  },
);

test("where nobody can be asked, each limit does what it does then, the strictest first", () => {
  const governor = prompted({ turns: { max: 1, headless: "synthesize" }, tokens: 10 });
  turnTaking(governor, { input: 10 });
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", limit: "tokens" });
});

test("a no comes before an answer without tools, and after a stop [BoundaryBeforeTurn]", () => {
  const declined = (cost: Policy) => {
    const governor = prompted({ tokens: 10, cost: { max: 1, onExhausted: cost }, canAsk: true });
    turnTaking(governor, { input: 10 });
    governor.beforeTurn();
    governor.answer(false);
    governor.spend("nested", { input: 0, output: 0, cost: 1 });
    governor.settled();
    return governor.beforeTurn();
  };
  expect(declined("synthesize")).toMatchObject({
    kind: "stop",
    outcome: "declined",
    raises: false,
    ...named("tokens"),
  });
  expect(declined("stop")).toMatchObject({ kind: "stop", outcome: "stopped", raises: false, limit: "cost" });
});

test("a yes starts over every limit that is reached, and only those", () => {
  const governor = prompted({ turns: 2, tokens: 20, cost: 5, tools: { bash: 9 }, canAsk: true });
  for (let turn = 0; turn < 2; turn += 1) {
    governor.beforeTurn();
    callTool(governor, "bash");
    governor.turnEnded({ usage: { input: 10, output: 0, cost: 1 } });
  }
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit: "turns" });
  expect(governor.answer(true).kind).toBe("proceed");
  expect(governor.view.standings).toEqual([
    { ...named("turns"), used: 1, max: 2 },
    { ...named("tokens"), used: 0, max: 20 },
    { ...named("cost"), used: 2, max: 5 },
    { ...named("tools.bash"), used: 2, max: 9 },
  ]);
});

test.each(["stop", "synthesize"] as const)(
  "a yes to a question in the middle of a turn is none to a limit that is to %s, and that nobody asks about",
  (onExhausted) => {
    const governor = prompted({ time: 1_000, tokens: { max: 10, onExhausted }, canAsk: true });
    governor.timeIs(0);
    governor.beforeTurn();
    governor.timeIs(1_000);
    governor.spend("nested", { input: 10, output: 0 });
    expect(governor.overdue()).toMatchObject({ kind: "ask", limit: "time" });
    governor.answer(true);
    governor.turnEnded();
    expect(governor.beforeTurn()).toMatchObject({ kind: onExhausted, ...named("tokens"), used: 10 });
  },
);

test("a yes at a budget starts no new round of turns", () => {
  const governor = prompted({ turns: 3, tokens: 10, canAsk: true });
  turnTaking(governor, { input: 10 });
  expect(governor.beforeTurn().kind).toBe("ask");
  governor.answer(true);
  expect(used(governor, "turns")).toBe(2);
  governor.turnEnded();
  expect(governor.settled()).toMatchObject({ turns: 2, rounds: 1 });
});

test("the limits there are stand in one order, each with what is used of it, turns always", () => {
  const governor = busyRun([...LIMITS, ["steps", { steps: 9 }]]);
  expect(governor.view.standings).toEqual([
    { ...named("turns"), used: 3, max: 3 },
    { ...named("steps"), used: 2, max: 9 },
    { ...named("tokens"), used: 30, max: 30 },
    { ...named("cost"), used: 3, max: 3 },
    { ...named("time"), used: 3_000, max: 3_000 },
    { ...named("tools.bash"), used: 1, max: 1 },
    { ...named("repeats"), used: 1, max: 1 },
    { ...named("answers"), used: 3, max: 3 },
  ]);
  expect(createGovernor().view.standings).toEqual([{ ...named("turns"), used: 0, max: 25 }]);
});

test("a limit of one's own admits exactly as many as it says", () => {
  const governor = prompted({ limits: [{ ...answers, max: 3 }] });
  expect(Array.from({ length: 4 }, () => turnTaking(governor, {}))).toEqual([
    "proceed",
    "proceed",
    "proceed",
    "stop",
  ]);
  expect(governor.settled()).toMatchObject({ kind: "stopped", ...named("answers"), turns: 3 });
});

test("a limit of one's own may be unlimited, and then it is none", () => {
  const governor = prompted({ turns: 5, limits: [{ ...answers, max: "unlimited" }] });
  expect(turnTaking(governor, {})).toBe("proceed");
  expect(turnTaking(governor, {})).toBe("proceed");
  expect(governor.view.standings).toHaveLength(1);
});

test("a limit of one's own can be asked before each call, of any tool or of one", () => {
  const steps: CustomLimit = { name: "work", max: 2, used: (spent) => spent.steps, before: "step" };
  const any = prompted({ limits: [steps], canAsk: true });
  any.beforeTurn();
  expect(takeSteps(any, 3)).toEqual(["proceed", "proceed", "refuse"]);
  any.turnEnded();
  expect(any.beforeTurn()).toMatchObject({ kind: "ask", ...named("work"), used: 2, max: 2 });
  any.answer(true);
  expect(takeSteps(any, 3)).toEqual(["proceed", "proceed", "refuse"]);

  const one = prompted({ limits: [{ ...steps, tool: "bash" }], canAsk: true });
  one.beforeTurn();
  expect(callTools(one, "read", "read", "bash", "read")).toEqual(["proceed", "proceed", "refuse", "proceed"]);
});

test("a refused call of a limit of one's own says which", () => {
  const governor = prompted({ limits: [{ name: "work", max: 0, used: () => 0, before: "step" }] });
  governor.beforeTurn();
  expect(governor.beforeStep()).toMatchObject({
    kind: "refuse",
    reason: "Not run: the work limit is reached (0/0). No more tool calls are possible in this run.",
  });
});

test("any of several is a boundary as soon as one is, and a yes starts them all over", () => {
  const governor = prompted({ limits: [anyOf([{ ...answers, max: 3 }, words])], canAsk: true });
  turnTaking(governor, { output: 6 });
  turnTaking(governor, { output: 6 });
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("words"), used: 12, max: 10 });
  governor.answer(true);
  expect([used(governor, "answers"), used(governor, "words")]).toEqual([1, 0]);
});

test("all of several are a boundary only together, reported as the first, and a yes starts them all over", () => {
  const governor = prompted({ limits: [allOf([answers, words])], canAsk: true });
  turnTaking(governor, { output: 6 });
  expect(governor.beforeTurn().kind).toBe("proceed");
  governor.turnEnded({ usage: { input: 0, output: 6 } });
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("answers"), used: 2, max: 1 });
  governor.answer(true);
  expect([used(governor, "answers"), used(governor, "words")]).toEqual([1, 0]);
});

test("within a group the policy is the group's", () => {
  const stops = { ...answers, onExhausted: "stop" } as const;
  const governor = prompted({ limits: [anyOf([stops], { onExhausted: "synthesize" })], canAsk: true });
  turnTaking(governor, {});
  expect(governor.beforeTurn()).toMatchObject({ kind: "synthesize", limit: "answers" });
});

test("groups hold groups, and the limits that come with the package", () => {
  const group = anyOf([allOf([answers, tokenLimit(100)]), { ...words, max: 50 }]);
  const governor = prompted({ limits: [group] });
  expect(turnTaking(governor, { input: 60 })).toBe("proceed");
  expect(turnTaking(governor, { input: 60 })).toBe("proceed");
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", limit: "answers" });
  expect(governor.view.standings.map(({ limit }) => limit)).toEqual(["turns", "answers", "tokens", "words"]);
});

test("a limit that cannot say what is used is an error, at the door or later, and not no limit", () => {
  const broken: CustomLimit = { name: "broken", max: 5, used: () => Number.NaN };
  expect(() => createGovernor({ limits: [broken] })).toThrow(/^broken\.used must be /);
  const governor = prompted({ limits: [{ ...broken, used: ({ turns }) => (turns > 0 ? Number.NaN : 0) }] });
  turnTaking(governor, {});
  expect(() => governor.beforeTurn()).toThrow(InvalidLimit);
  expect(() => governor.beforeTurn()).toThrow(/^broken\.used must be /);
});

test.each<[string, unknown]>([
  ["answers", [answers, answers]],
  ["answers or words", [anyOf([answers, words]), anyOf([answers, words])]],
  ["tokens", [tokenLimit(5)]],
])("two limits called %s are refused", (name, limits) => {
  const make = () => createGovernor({ tokens: 1, limits: limits as AnyOf[] });
  expect(make).toThrow(expect.objectContaining({ setting: "limits", value: name }));
});

test.each<[unknown, string]>([
  [{ ...answers, max: -1 }, "answers.max"],
  [{ ...answers, max: "5" }, "answers.max"],
  [{ ...answers, reserve: -1 }, "answers.reserve"],
  [{ ...answers, onExhausted: "refuse" }, "answers.onExhausted"],
  [{ anyOf: [answers, words], headless: "ask" }, "answers or words.headless"],
  [{ anyOf: [] }, "limits[0].anyOf"],
  [{ allOf: [{ anyOf: [] }] }, "limits[0].allOf[0].anyOf"],
])("a limit of one's own that is %j is refused by the name of what is wrong with it", (limit, setting) => {
  const make = () => createGovernor({ limits: [limit as CustomLimit] });
  expect(make).toThrow(expect.objectContaining({ setting }));
});

/** Three turns of 10 tokens, $1 and a second each, with the same calls again and again. */
function busyRun(limits: [string, GovernorOptions][]): Governor {
  const options = Object.assign({ turns: "unlimited" }, ...limits.map(([, option]) => option));
  const governor = createGovernor({ ...options, canAsk: true });
  governor.timeIs(0);
  governor.prompt();
  for (let turn = 1; turn <= 3; turn += 1) {
    governor.beforeTurn();
    callTools(governor, ...(turn === 2 ? ["poll"] : ["bash", "poll"]));
    governor.timeIs(turn * 1_000);
    governor.turnEnded({ usage: { input: 0, output: 10, cost: 1 } });
  }
  return governor;
}

test("a reply to a group's question is about the group, also if one of its limits is called like another", () => {
  const governor = prompted({
    tokens: 1_000,
    limits: [anyOf([tokenLimit(100), { ...words, max: 1e9 }])],
    canAsk: true,
  });
  turnTaking(governor, { input: 100, output: 0 });
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("tokens"), max: 100 });
  governor.answer("unlimited");
  for (let turn = 0; turn < 9; turn += 1) {
    governor.turnEnded({ usage: { input: 100, output: 0 } });
    if (turn < 8) expect(governor.beforeTurn().kind).toBe("proceed");
  }
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("tokens"), max: 1_000 });
});

test("in a group, too, exactly as many calls of a tool run as it admits", () => {
  const limits = [anyOf([toolLimit("deploy", 1), tokenLimit(1_000_000)], { onExhausted: "stop" })];
  const governor = prompted({ limits });
  governor.beforeTurn();
  const calls = Array.from({ length: 12 }, () => governor.beforeStep({ tool: "deploy" }).kind);
  expect(calls.filter((kind) => kind === "proceed")).toHaveLength(1);
  expect(governor.settled()).toMatchObject({ kind: "stopped", ...named("tools.deploy"), steps: 1 });
});

test("limits of calls that only count together refuse a call once all of them are used up", () => {
  const governor = prompted({ limits: [allOf([toolLimit("read", 1), toolLimit("write", 1)])] });
  governor.beforeTurn();
  const calls = ["read", "read", "write", "read", "bash"].map((tool) => governor.beforeStep({ tool }).kind);
  expect(calls).toEqual(["proceed", "proceed", "proceed", "refuse", "refuse"]);
});

test("in a group, too, a cost limit that must not go on without a price stops the run", () => {
  const governor = prompted({ limits: [anyOf([costLimit({ max: 1, unpriced: "stop" }), words])] });
  turnTaking(governor, { input: 1, output: 1 });
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", ...named("cost"), unpriced: true });
});

test("of two limits that refuse the same call the strictest decides [BoundaryBeforeCall]", () => {
  const writes = { name: "writes", max: 0, used: () => 0, before: "step", onExhausted: "stop" } as const;
  const governor = prompted({ tools: { bash: 0 }, limits: [writes], canAsk: true });
  governor.beforeTurn();
  expect(governor.beforeStep({ tool: "bash" })).toMatchObject({ kind: "refuse", limit: "writes" });
  expect(governor.settled()).toMatchObject({ kind: "stopped", limit: "writes" });
});
