import { expect, test } from "vitest";
import type { Governor, RequestKind } from "../../src/index.ts";
import { decisions, prompted, promptedAtZero, saved, takeTurns, used, whyRefused } from "../helpers/runs.ts";

/** Asks for a turn that may begin, and returns its number. */
function admit(governor: Governor, as?: RequestKind): number {
  expect(governor.beforeTurn({ as }).kind).toBe("proceed");
  return governor.view.admission;
}

test("a turn that is abandoned before it is sent counts neither as a turn nor as a request [TurnAbandoned]", () => {
  const governor = prompted({ turns: 2, requests: 2 });
  governor.beforeTurn();
  governor.turnAbandoned();
  expect([used(governor, "turns"), used(governor, "requests")]).toEqual([0, 0]);
  expect(takeTurns(governor)).toBe(2);
  expect(governor.settled()).toMatchObject({ turns: 2, rounds: 1 });
});

test("a run whose only turn was abandoned took none, and has nothing to answer from [TurnAbandoned]", () => {
  const governor = prompted({ turns: 1, requests: { max: 1, onExhausted: "synthesize" } });
  const before = governor.view.outcome;
  governor.beforeTurn();
  governor.turnAbandoned();
  expect(governor.view.outcome).toEqual(before);
  expect(governor.view.request).toBe("none");
});

test("of several turns under way each can be abandoned, in any order [TurnAbandoned]", () => {
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
    [1, 2, 0],
  ]) {
    const governor = prompted({ turns: 5 });
    takeTurns(governor, 1);
    const turns = [admit(governor), admit(governor), admit(governor)];
    for (const [index, which] of order.entries()) {
      governor.turnAbandoned({ admission: turns[which] });
      expect(used(governor, "turns")).toBe(3 - index);
      expect(governor.view.request).toBe(index === 2 ? "answered" : "in-flight");
    }
  }
});

test("an answer to one of several turns stays when another one is abandoned [TurnAbandoned]", () => {
  const governor = prompted({ turns: { max: 5, grace: 4 } });
  const [one, other] = [admit(governor), admit(governor)];
  governor.turnEnded({ admission: one });
  governor.turnAbandoned({ admission: other });
  expect(governor.view.request).toBe("answered");
  expect(decisions(governor, 4)).toEqual(["wrap-up", "proceed", "proceed", "proceed"]);
});

test.each<[string, (governor: Governor, admission: number) => void]>([
  ["was sent", (governor, admission) => governor.requestSent(admission)],
  ["was sent, without saying which", (governor) => governor.requestSent()],
  ["was answered", (governor, admission) => governor.turnEnded({ admission })],
  ["failed", (governor, admission) => governor.turnEnded({ admission, failure: "failed" })],
  ["was abandoned before", (governor, admission) => governor.turnAbandoned({ admission })],
  ["began before the counters were reset", (governor) => governor.reset()],
  ["began before a prompt", (governor) => governor.prompt()],
  ["began before more was allowed", (governor) => governor.allow("turns", true)],
  ["is of a run that has settled", (governor) => governor.settled()],
])("a turn that %s is not taken back [TurnAbandoned]", (_, event) => {
  const governor = prompted({ turns: 3 });
  takeTurns(governor, 1);
  const admission = admit(governor);
  event(governor, admission);
  const before = governor.state;
  governor.turnAbandoned({ admission });
  expect(governor.state).toEqual(before);
});

test("a retry that is abandoned is still due, and takes back no turn [TurnAbandoned]", () => {
  const governor = prompted({ turns: 2, requests: 9 });
  governor.beforeTurn();
  governor.turnEnded("failed");
  governor.beforeTurn();
  governor.turnAbandoned();
  expect(governor.view.request).toBe("retry-due");
  expect([used(governor, "turns"), used(governor, "requests")]).toEqual([1, 1]);
});

test("a request besides the turns that is abandoned says nothing of the turn under way [TurnAbandoned]", () => {
  const governor = prompted({ requests: 3 });
  admit(governor);
  const title = admit(governor, "aside");
  governor.turnAbandoned({ admission: title });
  expect([used(governor, "turns"), used(governor, "requests")]).toEqual([1, 1]);
  governor.turnEnded();
  expect(governor.view.request).toBe("answered");
});

test("what is sent besides what was not abandoned is one too many [TurnAbandoned]", () => {
  const governor = prompted({ turns: 3 });
  const [one, other] = [admit(governor), admit(governor)];
  governor.turnAbandoned({ admission: other });
  expect(governor.requestSent(one)).toBeUndefined();
  expect(governor.requestSent(other)).toMatchObject({ outcome: "limit-overrun" });
});

test("a request that the limit did not apply to leaves no exemption behind [TurnAbandoned]", () => {
  const governor = prompted({ turns: 1 });
  const [turn, title] = [admit(governor), admit(governor, "aside")];
  governor.requestSent(turn);
  governor.turnAbandoned({ admission: title });
  expect(governor.state.audit.requests).toMatchObject({ admitted: 1, done: 1, counted: 1, exempt: 0 });
});

test("what the model was to be told in an abandoned turn, it is told in the next [TurnAbandoned]", () => {
  const governor = prompted({ turns: { max: 3, grace: 1 } });
  takeTurns(governor, 2);
  expect(governor.beforeTurn().kind).toBe("wrap-up");
  governor.turnAbandoned();
  expect(governor.view.wrapUpSent).toBe(false);
  expect(governor.beforeTurn().kind).toBe("wrap-up");
  governor.turnEnded();
  expect(governor.settled()?.kind).toBe("wrapped-up");
});

test("a last turn that is abandoned is still to come [TurnAbandoned]", () => {
  const governor = prompted({ turns: { max: 1, onExhausted: "synthesize" } });
  takeTurns(governor, 1);
  expect(governor.beforeTurn().kind).toBe("synthesize");
  governor.turnAbandoned();
  expect(governor.view.outcome).toMatchObject({ kind: "stopped", turns: 1 });
  expect(governor.beforeTurn().kind).toBe("synthesize");
  governor.turnEnded();
  expect(governor.settled()).toMatchObject({ kind: "salvaged", turns: 2 });
});

test("the time is not up again before a last turn that was abandoned and is still to come [TurnAbandoned]", () => {
  const governor = promptedAtZero({ time: { max: 1_000, onExhausted: "synthesize" } });
  takeTurns(governor, 1);
  governor.timeIs(1_000);
  expect(governor.beforeTurn().kind).toBe("synthesize");
  governor.turnAbandoned();
  expect(governor.view.timeLeft).toBeUndefined();
  governor.timeIs(3_000);
  expect(governor.overdue()).toBeUndefined();
  expect(governor.beforeTurn().kind).toBe("synthesize");
});

test("a question about turns is no longer needed when one of them is taken back [TurnAbandoned]", () => {
  const governor = prompted({ turns: 1, canAsk: true });
  const first = admit(governor);
  const ask = governor.beforeTurn();
  expect(ask.kind).toBe("ask");
  governor.turnAbandoned({ admission: first });
  expect(governor.view).toMatchObject({ status: "running", question: null, request: "none" });
  expect(governor.answer(true, ask.kind === "ask" ? ask : undefined).kind).toBe("proceed");
  expect(used(governor, "turns")).toBe(1);
});

test("a turn can be abandoned after the governor was saved and restored [TurnAbandoned]", () => {
  const governor = prompted({ turns: 3 });
  const [one, other] = [admit(governor), admit(governor)];
  const restored = saved(governor);
  restored.turnAbandoned({ admission: one });
  restored.turnAbandoned({ admission: other });
  expect(restored.view.outcome).toMatchObject({ turns: 0, rounds: 0 });
});

test("each of several turns that end is answered once, whatever the order", () => {
  const governor = prompted({ turns: { max: 6, grace: 3 } });
  const [one, two, three] = [admit(governor), admit(governor), admit(governor)];
  for (const admission of [one, one, three, one, three]) governor.turnEnded({ admission });
  expect(governor.takeWrapUp()).toBeUndefined();
  governor.turnEnded({ admission: two });
  expect(governor.takeWrapUp()).toBeDefined();
});

test("a request that is sent once more while others are under way counts as a request, and its turn ends once", () => {
  const governor = prompted({ turns: { max: 4, grace: 2 }, requests: 9 });
  const [one, other] = [admit(governor), admit(governor)];
  governor.turnEnded({ admission: one, failure: "failed" });
  const again = admit(governor, "retry");
  expect([used(governor, "turns"), used(governor, "requests")]).toEqual([2, 3]);
  governor.turnEnded({ admission: other });
  governor.turnEnded({ admission: one });
  expect(governor.takeWrapUp()).toBeUndefined();
  governor.turnEnded({ admission: again });
  expect(governor.takeWrapUp()).toBeDefined();
});

test("a request that is sent once more while it is in flight goes on as the same turn", () => {
  const governor = prompted({ turns: 3, requests: 3 });
  const first = admit(governor);
  governor.requestSent(first);
  const again = admit(governor, "retry");
  governor.turnAbandoned({ admission: first });
  expect([used(governor, "turns"), used(governor, "requests")]).toEqual([1, 2]);
  governor.turnEnded({ admission: again });
  expect(governor.view.request).toBe("answered");
});

test("a host that never says when a turn ends does not pile them up", () => {
  const governor = prompted({ turns: "unlimited" });
  for (let turn = 0; turn < 500; turn += 1) governor.beforeTurn();
  expect(governor.state.run.open.length).toBeLessThan(100);
});

test("what is no number of a turn is refused", () => {
  const governor = prompted({});
  for (const admission of ["1", -1, 0.5, null] as never[]) {
    expect(whyRefused(() => governor.turnAbandoned({ admission })).setting).toBe("turnAbandoned.admission");
    expect(whyRefused(() => governor.turnEnded({ admission })).setting).toBe("turnEnded.admission");
    expect(whyRefused(() => governor.requestSent(admission)).setting).toBe("admission");
  }
});
