import { expect, test } from "vitest";
import type { Ask, Governor, GovernorOptions, Reply, TurnDecision } from "../../src/index.ts";
import { named } from "../helpers/named.ts";
import {
  asking,
  change,
  prompted,
  promptedAtZero,
  saved,
  takeTurns,
  turnTaking,
  used,
} from "../helpers/runs.ts";

/** A governor at its turn limit, and as many turns that wait for one question. */
function waiters(count: number, options: GovernorOptions = {}): { governor: Governor; asks: Ask[] } {
  const governor = prompted({ turns: 2, canAsk: true, ...options });
  takeTurns(governor, 2);
  const asks = Array.from({ length: count }, () => governor.beforeTurn() as Ask);
  return { governor, asks };
}

/** What each of them is told when the person has replied. */
function answers(governor: Governor, asks: Ask[], reply: Reply): TurnDecision["kind"][] {
  return asks.map((ask) => governor.answer(reply, ask).kind);
}

test("a question has an id, and asked again about the same limit it is the same question [QuestionAsked] [HeldTurnAskedAgain]", () => {
  const { governor, asks } = waiters(3);
  expect(asks).toEqual(new Array(3).fill({ kind: "ask", id: 1, ...named("turns"), used: 2, max: 2 }));
  expect(governor.view.question).toEqual({ id: 1, budget: "turns", ...named("turns"), used: 2, max: 2 });
});

test("each later question has another id, also after a save [QuestionAsked]", () => {
  let governor = prompted({ turns: 1, canAsk: true });
  const ids = [1, 2, 3].map(() => {
    takeTurns(governor, 1);
    const { id } = governor.beforeTurn() as Ask;
    governor = saved(governor, { canAsk: true });
    governor.answer(true);
    governor.turnEnded();
    return id;
  });
  expect(ids).toEqual([1, 2, 3]);
});

test("three turns wait, and a yes covers two: those begin and are counted, the third is asked about [WaiterDecidedAnew] [OneQuestionAtATime]", () => {
  const { governor, asks } = waiters(3);
  expect(answers(governor, asks, true)).toEqual(["proceed", "proceed", "ask"]);
  expect(governor.view).toMatchObject({ status: "asking", question: { id: 2 }, totals: { turns: 4 } });
});

test("ten turns wait, limit 1: each yes lets exactly one begin, and none is one too many [WaiterDecidedAnew] [WorkAccounted]", () => {
  const governor = prompted({ turns: 1, canAsk: true });
  let waiting = Array.from({ length: 10 }, () => governor.beforeTurn());
  const overruns: unknown[] = [governor.requestSent()];
  for (let begun = 1; begun < 10; begun += 1) {
    const asks = waiting.filter((decision) => decision.kind === "ask");
    expect(asks).toHaveLength(10 - begun);
    waiting = asks.map((ask) => governor.answer(true, ask));
    expect(waiting.filter(({ kind }) => kind === "proceed")).toHaveLength(1);
    overruns.push(governor.requestSent());
    expect(governor.view.totals.turns).toBe(begun + 1);
  }
  expect(overruns).toEqual(new Array(10).fill(undefined));
  expect(governor.settled()).toMatchObject({ turns: 10, rounds: 10 });
});

test.each<[Reply, TurnDecision["kind"][]]>([
  [{ more: 3 }, ["proceed", "proceed", "proceed", "ask"]],
  ["unlimited", ["proceed", "proceed", "proceed", "proceed"]],
  ["wrap-up", ["wrap-up", "ask", "ask", "ask"]],
  [false, ["stop", "stop", "stop", "stop"]],
])("of four that wait, %j decides: %j [WaiterDecidedAnew]", (reply, kinds) => {
  const { governor, asks } = waiters(4);
  expect(answers(governor, asks, reply)).toEqual(kinds);
});

test("a yes is the same once more: a new round, and no grant [ContinuationWithTheSame] [RoundIsNew]", () => {
  const governor = asking();
  governor.answer({ more: 7 });
  takeTurns(governor);
  expect(governor.view.standings).toEqual([{ ...named("turns"), used: 7, max: 7 }]);
  governor.answer(true);
  expect(governor.view.standings).toEqual([{ ...named("turns"), used: 1, max: 2 }]);
  expect(governor.view.totals.turns).toBe(10);
});

test.each([true, false, { more: 5 }, "unlimited", "wrap-up"] as const)(
  "a reply of %j to a question of an earlier prompt begins no turn and ends no run [LateReplyDecidesNothing]",
  (reply) => {
    const { governor, asks } = waiters(2);
    const [ask] = asks as [Ask];
    governor.prompt();
    const idle = governor.state;
    expect(governor.answer(reply, ask)).toMatchObject({ kind: "stop", outcome: "stopped", raises: false });
    expect(governor.state).toEqual(idle);

    takeTurns(governor);
    const held = governor.state;
    expect(governor.view.question?.id).toBe(2);
    expect(governor.answer(reply, ask).kind).toBe("stop");
    expect(governor.state).toEqual(held);
  },
);

test.each([true, false, "wrap-up"] as const)(
  "a reply of %j to a question of a run that has settled touches neither that nor the next one [LateReplyDecidesNothing]",
  (reply) => {
    const { governor, asks } = waiters(1, { turns: { max: 2 } });
    const [ask] = asks as [Ask];
    governor.settled();
    change(governor, { turns: 9 });
    const settled = governor.state;
    expect(governor.answer(reply, ask).kind).toBe("stop");
    expect(governor.state).toEqual(settled);

    governor.beforeTurn();
    const running = governor.state;
    expect(governor.answer(reply, ask).kind).toBe("stop");
    expect(governor.state).toEqual(running);
  },
);

test("a second reply, with its question or without, begins no second turn [LateReplyDecidesNothing]", () => {
  const { governor, asks } = waiters(1);
  governor.answer(true, asks[0]);
  expect(governor.answer(true)).toMatchObject({ kind: "stop", raises: false });
  expect([governor.view.status, used(governor, "turns")]).toEqual(["running", 1]);
});

test("a no to a question that was withdrawn stops nothing: the turn that waited is decided anew [LateReplyDecidesNothing] [WaiterDecidedAnew]", () => {
  const { governor, asks } = waiters(2);
  change(governor, { turns: 3 });
  expect(answers(governor, asks, false)).toEqual(["proceed", "ask"]);
});

test("a no to a question that another took the place of is not a no to that [LateReplyDecidesNothing] [QuestionReplaced]", () => {
  const governor = prompted({ cost: 1, tokens: 10, canAsk: true });
  turnTaking(governor, { input: 1, cost: 1 });
  const about = governor.beforeTurn() as Ask;
  expect(about).toMatchObject({ ...named("cost"), id: 1 });
  governor.spend("compaction", { input: 10, output: 0 });
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("tokens"), id: 2 });
  expect(governor.view.question).toMatchObject({ ...named("tokens"), id: 2 });
  expect(governor.answer(false, about)).toMatchObject({ kind: "ask", ...named("tokens"), id: 2 });
  expect(governor.answer(true)).toEqual({ kind: "proceed" });
  expect([used(governor, "tokens"), used(governor, "cost")]).toEqual([0, 0]);
});

test("a reset during the question drops it, and the held turn is decided anew [QuestionDropped] [CountersReset]", () => {
  const { governor, asks } = waiters(1);
  governor.reset();
  expect(governor.view).toMatchObject({ question: null, status: "running" });
  expect(governor.answer(false, asks[0])).toEqual({ kind: "proceed" });
  expect(used(governor, "turns")).toBe(1);
});

test("time that is up while a turn is held is no second question [OneQuestionAtATime]", () => {
  const governor = promptedAtZero({ turns: 1, time: 10, canAsk: true });
  takeTurns(governor, 1);
  governor.beforeTurn();
  governor.timeIs(50);
  expect(governor.overdue()).toBeUndefined();
  expect(governor.view.question).toMatchObject({ id: 1, limit: "turns" });
});

test("the question in the middle of a turn is the one that the next turn waits for, and one reply is enough [OneQuestionAtATime] [QuestionAsked]", () => {
  const governor = promptedAtZero({ time: 10, canAsk: true });
  governor.beforeTurn();
  governor.timeIs(10);
  const midTurn = governor.overdue() as Ask;
  governor.turnEnded();
  const held = governor.beforeTurn() as Ask;
  expect([midTurn.id, held.id, midTurn.midTurn, held.midTurn]).toEqual([1, 1, true, undefined]);
  expect(governor.answer(true, midTurn)).toEqual({ kind: "proceed" });
  expect(used(governor, "turns")).toBe(1);
  expect(governor.answer(true, held)).toEqual({ kind: "proceed" });
  expect(used(governor, "turns")).toBe(2);
});

test.each(["yes", "", {}, [], { more: 0 }, { more: -1 }, { more: Number.NaN }, { more: "5" }, 1, Number.NaN])(
  "a reply of %j is refused, and the question is still open [BadReplyRefused]",
  (reply) => {
    const { governor, asks } = waiters(1);
    const before = governor.state;
    for (const ask of [asks[0], undefined])
      expect(() => governor.answer(reply as Reply, ask)).toThrow(/^reply/);
    expect(governor.state).toEqual(before);
    expect(governor.answer(true).kind).toBe("proceed");
  },
);

test.each([undefined, null])("a reply of %s is a no [ContinuationDeclined]", (reply) => {
  const { governor } = waiters(1);
  expect(governor.answer(reply as unknown as boolean)).toMatchObject({ kind: "stop", outcome: "declined" });
});

test("what was saved with a question open is answered by its id, and by no other [LateReplyDecidesNothing]", () => {
  const { governor, asks } = waiters(1);
  const restored = saved(governor, { canAsk: true });
  expect(restored.answer(false, { ...(asks[0] as Ask), id: 7 }).kind).toBe("ask");
  expect(restored.answer(true, asks[0])).toEqual({ kind: "proceed" });
});
