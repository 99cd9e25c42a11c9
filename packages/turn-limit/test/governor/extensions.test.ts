import { expect, test } from "vitest";
import {
  allOf,
  anyOf,
  createGovernor,
  type Governor,
  type GovernorOptions,
  toolLimit,
} from "../../src/index.ts";
import { named } from "../helpers/named.ts";
import { change, prompted, takeTurns, turnsTaking, turnTaking } from "../helpers/runs.ts";

/** A governor at the boundary of 2 turns, which may be extended twice. */
function atBoundary(
  options: Partial<GovernorOptions["turns"] & object> = {},
  more: GovernorOptions = {},
): Governor {
  const governor = prompted({ turns: { max: 2, extend: 2, ...options }, canAsk: true, ...more });
  takeTurns(governor);
  return governor;
}

test("at its boundary a limit that may be extended first asks whether the run got somewhere [ProgressAsked] [CheckedOnlyAtTheBoundary]", () => {
  const governor = atBoundary();
  expect(governor.beforeTurn()).toEqual({
    ...{ kind: "check-progress", id: 1, turns: 2, used: 2, max: 2 },
    ...named("turns"),
  });
  expect(governor.view.question).toBeNull();
  expect(governor.view.check).toMatchObject({ id: 1, limit: "turns" });
  expect(governor.view.status).toBe("asking");
});

test("progress is another round, and the held turn is its first [LimitExtended]", () => {
  const governor = atBoundary();
  expect(governor.answer({ progress: "3 files changed" })).toEqual({ kind: "proceed" });
  governor.turnEnded();
  const extended = { times: 1, what: "3 files changed" };
  expect(governor.view.standings).toEqual([{ ...named("turns"), used: 1, max: 2, extended }]);
  expect(takeTurns(governor)).toBe(1);
  expect(governor.beforeTurn()).toMatchObject({ kind: "check-progress", used: 2, max: 2, extended });
});

test("it is extended so often, and then its policy says what happens [LimitExtended]", () => {
  for (const [policy, kind] of [
    ["ask", "ask"],
    ["stop", "stop"],
    ["raise", "stop"],
    ["synthesize", "synthesize"],
  ] as const) {
    const governor = atBoundary({ onExhausted: policy });
    for (let times = 0; times < 2; times += 1) {
      governor.answer(true);
      governor.turnEnded();
      takeTurns(governor, 1);
      if (times === 0) governor.beforeTurn();
    }
    const extended = { times: 2 };
    expect(governor.beforeTurn()).toMatchObject({ kind, ...named("turns"), used: 2, max: 2, extended });
    expect(governor.view.outcome).toMatchObject({
      ...{ turns: policy === "synthesize" ? 7 : 6, rounds: 3, intervened: true },
      extensions: [{ ...named("turns"), times: 2 }],
    });
  }
});

test("without progress its policy says at once what happens, and nothing is extended [NoProgress]", () => {
  const governor = atBoundary();
  expect(governor.answer(false)).toMatchObject({ kind: "ask", id: 2, used: 2, max: 2 });
  expect(governor.view.question).toMatchObject({ limit: "turns" });
  expect(governor.view.check).toBeNull();
  expect(governor.view.outcome).not.toHaveProperty("extensions");
  expect(atBoundary({ onExhausted: "stop" }).answer(undefined)).toMatchObject({ kind: "stop" });
});

test("a limit that was found to have got nowhere is not asked about again in the same round [NoProgress]", () => {
  const governor = atBoundary({ onExhausted: "stop" });
  governor.answer(false);
  governor.settled();
  // A program goes on, without a person.
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", outcome: "stopped" });
});

test("by how much it is extended can be another amount, for that round only [LimitExtended]", () => {
  const governor = atBoundary({ extendBy: 1 });
  governor.answer(true);
  governor.turnEnded();
  expect(governor.view.standings).toMatchObject([{ used: 1, max: 1 }]);
  expect(governor.beforeTurn()).toMatchObject({ kind: "check-progress", used: 1, max: 1 });
  governor.answer(false);
  governor.answer(true);
  governor.turnEnded();
  expect(governor.view.standings).toMatchObject([{ used: 1, max: 2 }]);
});

test("only a person starts the extensions over: by a prompt, or by allowing more [ExtensionsStartOver]", () => {
  const startsOver: ((governor: Governor) => void)[] = [
    (governor) => governor.answer(true),
    (governor) => governor.answer({ more: 2 }),
    (governor) => governor.allow("turns", true),
    (governor) => governor.reset(),
    (governor) => governor.prompt(),
  ];
  for (const start of startsOver) {
    const governor = atBoundary({ extend: 1 });
    governor.answer(true);
    governor.turnEnded();
    takeTurns(governor);
    expect(governor.beforeTurn()).toMatchObject({ kind: "ask" });
    start(governor);
    governor.turnEnded();
    takeTurns(governor);
    expect(governor.beforeTurn()).toMatchObject({ kind: "check-progress", used: 2 });
    expect(governor.view.standings[0]).not.toHaveProperty("extended");
  }
});

test("a no stands: nothing is extended until a person prompts [DeclineStands]", () => {
  const governor = prompted({ turns: { max: 2, extend: 2 }, cost: 1, canAsk: true });
  turnTaking(governor, { input: 1, cost: 1 });
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit: "cost" });
  governor.answer(false);
  governor.settled();
  change(governor, { cost: "unlimited" });
  governor.beforeTurn();
  governor.turnEnded();
  expect(governor.beforeTurn()).toMatchObject({ kind: "check-progress" });

  const declined = prompted({ turns: { max: 1, extend: 1 }, canAsk: true });
  takeTurns(declined);
  declined.answer(false);
  declined.answer(false);
  declined.settled();
  expect(declined.beforeTurn()).toMatchObject({ kind: "stop", outcome: "declined" });
});

test("every limit that stands before turns can be extended", () => {
  const used = ({ output }: { output: number }) => output;
  const settings: GovernorOptions[] = [
    { turns: { max: 2, extend: 1 } },
    { turns: "unlimited", requests: { max: 2, extend: 1 } },
    { turns: "unlimited", tokens: { max: 20, extend: 1 } },
    { turns: "unlimited", cost: { max: 2, extend: 1 } },
    { turns: "unlimited", limits: [{ name: "output", max: 20, used, extend: 1 }] },
  ];
  for (const options of settings) {
    const governor = prompted(options);
    expect(turnsTaking(governor, { input: 10, output: 10, cost: 1 })).toBeLessThanOrEqual(2);
    expect(governor.answer(true)).toEqual({ kind: "proceed" });
    governor.turnEnded({ usage: { input: 10, output: 10, cost: 1 } });
    turnsTaking(governor, { input: 10, output: 10, cost: 1 });
    expect(governor.beforeTurn()).toMatchObject({ kind: "stop", extended: { times: 1 } });
  }
});

test("a limit of tool calls is not extended, and neither is a member of a group [OnlyTurnsAreExtended] [ExtendIsNoPolicy]", () => {
  const allowed = "left out: only a limit that stands before turns can be extended";
  for (const [setting, options] of [
    ["steps.extend", { steps: { max: 3, extend: 1 } }],
    ["tools.bash.extendBy", { tools: { bash: { max: 3, extendBy: 1 } } }],
    ["repeats.extend", { repeats: { max: 3, extend: 1 } }],
    ["bashes.extend", { limits: [{ name: "bashes", max: 1, used: () => 0, before: "step", extend: 1 }] }],
  ] as [string, GovernorOptions][])
    expect(() => createGovernor(options)).toThrow(expect.objectContaining({ setting, allowed }));
  const part = { name: "part", max: 1, used: () => 0 };
  expect(() => anyOf([{ ...part, extend: 1 }])).toThrow("part.extend must be left out within a group");
  expect(() => anyOf([anyOf([part], { extend: 1 })])).toThrow("must be left out within a group");
  expect(() => anyOf([part, toolLimit("bash", 3)], { extend: 1 })).toThrow(allowed);
});

test("how often, and by how much, is checked", () => {
  for (const extend of [-1, 1.5, "3", null, Number.NaN])
    expect(() => createGovernor({ turns: { max: 2, extend: extend as number } })).toThrow(
      "turns.extend must be a whole number of 0 or more",
    );
  expect(() => createGovernor({ turns: { max: 2, extend: 1, extendBy: 0.5 } })).toThrow("turns.extendBy");
  expect(createGovernor({ cost: { max: 2, extend: 1, extendBy: 0.5 } }).view.settings.cost).toMatchObject({
    ...{ extend: 1, extendBy: 0.5 },
  });
});

test("a group is extended as a whole, and all of it starts over [LimitExtended]", () => {
  const output = { name: "output", max: 20, used: ({ output }: { output: number }) => output };
  const turns = { name: "rounds", max: 2, used: ({ turns }: { turns: number }) => turns };
  const governor = prompted({
    turns: "unlimited",
    limits: [allOf([output, turns], { extend: 1, onExhausted: "stop" })],
  });
  expect(turnsTaking(governor, { input: 0, output: 10 })).toBe(2);
  expect(governor.beforeTurn()).toMatchObject({ kind: "check-progress", limit: "output" });
  expect(governor.answer(true)).toEqual({ kind: "proceed" });
  governor.turnEnded({ usage: { input: 0, output: 10 } });
  expect(governor.view.standings.slice(1)).toMatchObject([
    { limit: "output", used: 10, extended: { times: 1 } },
    { limit: "rounds", used: 1, extended: { times: 1 } },
  ]);
  turnsTaking(governor, { input: 0, output: 10 });
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", limit: "output" });
});

test("an extension of one limit extends no other: that one still holds at its own boundary [LimitExtended]", () => {
  const governor = prompted({ turns: { max: 2, extend: 9 }, cost: { max: 3, onExhausted: "stop" } });
  turnsTaking(governor, { input: 1, cost: 1 });
  governor.answer(true);
  governor.turnEnded({ usage: { input: 1, output: 0, cost: 1 } });
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", ...named("cost"), used: 3, max: 3 });
});

test("of two at once, one that ends the run decides, and nobody is asked whether it got somewhere [LimitExtended]", () => {
  const governor = prompted({ turns: { max: 2, extend: 9 }, cost: { max: 2, onExhausted: "stop" } });
  expect(turnsTaking(governor, { input: 1, cost: 1 })).toBe(2);
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", limit: "cost" });
});

test("of two at once, one that asks is asked about once the other is extended [LimitExtended]", () => {
  const governor = prompted({ turns: { max: 2, extend: 1, onExhausted: "stop" }, cost: 2, canAsk: true });
  turnsTaking(governor, { input: 1, cost: 1 });
  expect(governor.answer(true)).toMatchObject({ kind: "ask", limit: "cost" });
  expect(governor.answer(true)).toEqual({ kind: "proceed" });
  expect(governor.view.standings).toMatchObject([
    { limit: "turns", used: 1, extended: { times: 1 } },
    { limit: "cost", used: 0 },
  ]);
});

test("a yes to another limit lets no turn begin that its own limit does not cover [LimitExtended]", () => {
  const governor = prompted({ turns: { max: 2, extend: 1, onExhausted: "stop" }, cost: 1, canAsk: true });
  turnTaking(governor, { input: 1, cost: 1 });
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit: "cost" });
  // Meanwhile the turns are used up.
  change(governor, { turns: { max: 1 } });
  expect(governor.answer(true)).toMatchObject({ kind: "check-progress", limit: "turns" });
});

test("several turns that wait are decided one by one: one extension, and each that it does not cover waits again [LimitExtended]", () => {
  const governor = prompted({ turns: { max: 1, extend: 2, onExhausted: "stop" } });
  takeTurns(governor);
  const [one, other] = [governor.beforeTurn(), governor.beforeTurn()];
  expect(other).toEqual(one);
  if (one.kind !== "check-progress" || other.kind !== "check-progress") throw new Error("not held");
  expect(governor.answer(true, one)).toEqual({ kind: "proceed" });
  const again = governor.answer(true, other);
  expect(again).toMatchObject({ kind: "check-progress", id: 2, extended: { times: 1 } });
  expect(governor.answer(false)).toMatchObject({ kind: "stop" });
});

test("found out too late, it changes nothing: the turn is decided by what holds now [FoundTooLate]", () => {
  const governor = atBoundary();
  const check = governor.beforeTurn();
  if (check.kind !== "check-progress") throw new Error("not held");
  change(governor, { turns: { max: 9 } });
  expect(governor.view.check).toBeNull();
  expect(governor.answer(true, check)).toEqual({ kind: "proceed" });
  expect(governor.view.standings).toMatchObject([{ used: 3, max: 9 }]);
  expect(governor.view.standings[0]).not.toHaveProperty("extended");
});

test("a limit that is switched off, lowered or no longer extended while it is found out, holds as it is set now", () => {
  const ask = atBoundary();
  change(ask, { turns: { extend: 0 } });
  expect(ask.view.check).toBeNull();
  expect(ask.beforeTurn()).toMatchObject({ kind: "ask" });
  const off = atBoundary();
  change(off, { turns: { max: "unlimited" } });
  expect(off.beforeTurn()).toEqual({ kind: "proceed" });
  const lowered = atBoundary();
  change(lowered, { turns: { max: 1 } });
  expect(lowered.beforeTurn()).toMatchObject({ kind: "check-progress", id: 1, used: 2, max: 1 });
  lowered.answer(true);
  expect(lowered.view.standings).toMatchObject([{ used: 1, max: 1 }]);
});

test("a person who allows more in the round has it found out again where it ends then [ExtensionsStartOver]", () => {
  const governor = atBoundary();
  governor.answer(false);
  change(governor, { turns: { max: 3 } });
  expect(governor.beforeTurn()).toEqual({ kind: "proceed" });
  governor.turnEnded();
  expect(governor.beforeTurn()).toMatchObject({ kind: "check-progress", used: 3, max: 3 });
});

test("the model is told to wrap up in each round", () => {
  const governor = prompted({ turns: { max: 2, grace: 1, extend: 1, onExhausted: "stop" } });
  const kinds: string[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    let decision = governor.beforeTurn();
    kinds.push(decision.kind);
    if (decision.kind === "check-progress") {
      decision = governor.answer(true);
      kinds.push(decision.kind);
    }
    if (decision.kind !== "stop") governor.turnEnded();
  }
  expect(kinds).toEqual(["proceed", "wrap-up", "check-progress", "proceed", "wrap-up", "stop"]);
});

test("a limit of 0 is extended so often and no more, even if there always is progress [LimitExtended]", () => {
  const governor = prompted({ turns: { max: 0, extend: 2, onExhausted: "stop" } });
  expect(governor.beforeTurn().kind).toBe("check-progress");
  expect(governor.answer(true).kind).toBe("check-progress");
  expect(governor.answer(true).kind).toBe("stop");
});

test("while it is found out, time passes, and tool calls go on", () => {
  const governor = createGovernor({ turns: { max: 1, extend: 1 }, time: 100 });
  governor.timeIs(0);
  governor.prompt();
  takeTurns(governor);
  expect(governor.beforeStep()).toEqual({ kind: "proceed" });
  governor.timeIs(30);
  expect(governor.view.standings).toMatchObject([{ limit: "turns" }, { limit: "time", used: 30 }]);
});

test("time that is up in the middle of a turn is extended there, or the policy decides [TimeUpAsksForProgress]", () => {
  for (const progress of [true, false]) {
    const governor = createGovernor({ time: { max: 100, extend: 1, onExhausted: "stop" } });
    governor.timeIs(0);
    governor.prompt();
    governor.beforeTurn();
    governor.timeIs(100);
    const check = governor.overdue();
    expect(check).toMatchObject({ kind: "check-progress", midTurn: true, limit: "time" });
    expect(governor.view.timeLeft).toBeUndefined();
    if (check?.kind !== "check-progress") return;
    expect(governor.answer(progress, check)).toEqual({ kind: "proceed" });
    expect(governor.view.timeLeft).toBe(progress ? 100 : 0);
    expect(governor.overdue()?.kind).toBe(progress ? undefined : "stop");
  }
});

test("a saved state knows what was extended, and that a round got nowhere [LimitExtended]", () => {
  const governor = atBoundary({ extend: 1 });
  governor.answer({ progress: "tests pass" });
  governor.turnEnded();
  takeTurns(governor);
  const { state } = governor;
  const restored = createGovernor({ state: JSON.parse(JSON.stringify(state)), canAsk: true });
  const extended = { times: 1, what: "tests pass" };
  expect(restored.beforeTurn()).toMatchObject({ kind: "ask", extended });
  expect(restored.view.outcome?.extensions).toEqual([{ ...named("turns"), ...extended }]);

  const stalled = atBoundary({ onExhausted: "stop" });
  stalled.answer(false);
  stalled.settled();
  expect(createGovernor({ state: stalled.state }).beforeTurn()).toMatchObject({ kind: "stop" });

  const checking = atBoundary();
  const again = createGovernor({ state: checking.state, canAsk: true });
  expect(again.beforeTurn()).toEqual(checking.beforeTurn());
});

test("what cannot be read is refused, and nothing was changed", () => {
  const governor = atBoundary();
  for (const bad of [{ progress: "" }, { progress: 3 }, "unlimited", { more: 3 }])
    expect(() => governor.answer(bad as never)).toThrow("progress must be true, false, or { progress: … }");
  expect(governor.view.check).toMatchObject({ limit: "turns" });
});
