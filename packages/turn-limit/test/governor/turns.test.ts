import { expect, test } from "vitest";
import { createGovernor } from "../../src/index.ts";
import { named } from "../helpers/named.ts";
import { asking, change, prompted, takeTurns, used } from "../helpers/runs.ts";

test("nothing said means 25 turns and nobody to ask [SessionOpens]", () => {
  const governor = createGovernor();
  expect(governor.view.status).toBe("idle");
  expect(governor.view.settings.turns.max).toBe(25);
  expect(used(governor, "turns")).toBe(0);
  governor.prompt();
  expect(takeTurns(governor)).toBe(25);
  expect(governor.beforeTurn().kind).toBe("stop");
});

test("a limit of 5 lets 5 turns begin and holds the 6th for a question [TurnAdmitted] [LimitReached]", () => {
  const governor = prompted({ turns: 5, canAsk: true });
  expect(takeTurns(governor)).toBe(5);
  expect(governor.beforeTurn()).toEqual({ kind: "ask", id: 1, ...named("turns"), used: 5, max: 5 });
  expect(governor.view.status).toBe("asking");
  expect(used(governor, "turns")).toBe(5);
});

test("where nobody can be asked the run is stopped without a question [LimitStops] [HeadlessNeverWaits]", () => {
  const governor = prompted({ turns: 5 });
  expect(takeTurns(governor)).toBe(5);
  expect(governor.beforeTurn()).toEqual({
    kind: "stop",
    outcome: "stopped",
    raises: false,
    ...named("turns"),
    used: 5,
    max: 5,
  });
  expect(governor.view.status).toBe("ending");
});

test("a limit of 0 asks before every turn, the first included [LimitReached] [ContinuationConfirmed]", () => {
  const governor = prompted({ turns: 0, canAsk: true });
  for (let turn = 0; turn < 3; turn += 1) {
    expect(governor.beforeTurn().kind).toBe("ask");
    expect(governor.answer(true).kind).toBe("proceed");
    governor.turnEnded();
  }
  expect(governor.settled()).toMatchObject({ turns: 3, rounds: 3 });
});

test("a limit of 0 stops before the first turn where nobody can be asked [LimitStops]", () => {
  const governor = prompted({ turns: 0 });
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", used: 0, max: 0 });
});

test("without a limit every turn begins, and is counted [TurnAdmitted] [UnlimitedNeverAsks]", () => {
  const governor = prompted({ turns: "unlimited", canAsk: true });
  expect(takeTurns(governor, 1_000)).toBe(1_000);
  expect(used(governor, "turns")).toBe(1_000);
});

test("after a stop, no turn begins until the run has settled [LimitStops]", () => {
  const governor = prompted({ turns: 1 });
  takeTurns(governor);
  change(governor, { turns: 100 });
  expect(takeTurns(governor)).toBe(0);
  governor.settled();
  expect(governor.view.stop).toBeNull();
});

test("asking twice about the held turn is the same question [LimitReached] [NothingRunsWhileAsking]", () => {
  const governor = asking();
  const before = governor.state;
  expect(governor.beforeTurn()).toEqual(governor.beforeTurn());
  expect(governor.state).toEqual(before);
});
