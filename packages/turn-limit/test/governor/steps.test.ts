import { expect, test } from "vitest";
import { createGovernor } from "../../src/index.ts";
import { named } from "../helpers/named.ts";
import { asking, change, prompted, takeSteps, takeTurns, turnWithSteps, used } from "../helpers/runs.ts";

test("without a step limit every call begins, and is counted [StepTaken]", () => {
  const governor = prompted({});
  expect(new Set(turnWithSteps(governor, 500))).toEqual(new Set(["proceed"]));
  expect(governor.view.totals.steps).toBe(500);
  expect(governor.settled()).toMatchObject({ kind: "completed", steps: 500, maxSteps: "unlimited" });
});

test("of a batch of 6 with 2 left exactly the first 2 begin [StepTaken] [CallRaises]", () => {
  const governor = prompted({ steps: 5 });
  turnWithSteps(governor, 3);
  expect(turnWithSteps(governor, 6)).toEqual(["proceed", "proceed", "refuse", "refuse", "refuse", "refuse"]);
  expect(governor.view.totals.steps).toBe(5);
});

test("a run that needs exactly as many steps as it has did not hit the limit [StepTaken] [RunEndsNaturally]", () => {
  const governor = prompted({ steps: 3 });
  turnWithSteps(governor, 3);
  takeTurns(governor, 1);
  expect(governor.settled()).toEqual({
    kind: "completed",
    turns: 2,
    rounds: 1,
    steps: 3,
    maxTurns: 25,
    maxSteps: 3,
    intervened: false,
  });
});

test("a refused call gets a reason that the model can read [CallRaises]", () => {
  const governor = prompted({ steps: 1 });
  turnWithSteps(governor, 1);
  governor.beforeTurn();
  expect(governor.beforeStep()).toEqual({
    kind: "refuse",
    ...named("steps"),
    used: 1,
    max: 1,
    reason: "Not run: the step limit is reached (1/1). No more tool calls are possible in this run.",
  });
});

test("a run that is out of steps is stopped before its next turn [CallRaises] [RunRaises]", () => {
  const governor = prompted({ turns: 9, steps: 2 });
  turnWithSteps(governor, 3);
  const stop = { kind: "stop", outcome: "stopped", raises: true, ...named("steps"), used: 2, max: 2 };
  expect(governor.view.status).toBe("ending");
  expect(governor.view.stop).toEqual(stop);
  expect(governor.beforeTurn()).toEqual(stop);
  expect(governor.settled()).toEqual({
    kind: "stopped",
    ...named("steps"),
    turns: 1,
    rounds: 1,
    steps: 2,
    maxTurns: 9,
    maxSteps: 2,
    intervened: true,
  });
});

test("out of steps, nobody is asked, even at the turn limit [CallRaises]", () => {
  const governor = prompted({ turns: 1, steps: 1, canAsk: true });
  turnWithSteps(governor, 2);
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", limit: "steps" });
});

test("a late reply does not make a run go on that is out of steps [CallRaises]", () => {
  const governor = prompted({ steps: 1, canAsk: true });
  governor.beforeTurn();
  takeSteps(governor, 2);
  expect(governor.answer(true).kind).toBe("stop");
});

test("a yes at the turn limit gives no new steps [ContinuationConfirmed] [StepTaken]", () => {
  const governor = prompted({ turns: 1, steps: 3, canAsk: true });
  turnWithSteps(governor, 2);
  governor.beforeTurn();
  governor.answer(true);
  expect(takeSteps(governor, 3)).toEqual(["proceed", "refuse", "refuse"]);
});

test("a person's prompt gives new steps [PersonPrompts] [StepTaken]", () => {
  const governor = prompted({ steps: 2 });
  turnWithSteps(governor, 3);
  governor.settled();
  governor.prompt();
  expect(turnWithSteps(governor, 3)).toEqual(["proceed", "proceed", "refuse"]);
});

test("a program that makes the agent go on gets the steps that are left [ProgramContinues] [StepTaken]", () => {
  const governor = prompted({ steps: 3 });
  turnWithSteps(governor, 2);
  governor.settled();
  expect(turnWithSteps(governor, 2)).toEqual(["proceed", "refuse"]);
  expect(governor.settled()).toMatchObject({ kind: "stopped", ...named("steps"), steps: 1 });
});

test("a program cannot make an agent go on that is out of steps [LimitRaises] [ExhaustedMeansNoneLeft]", () => {
  const governor = prompted({ steps: 1 });
  turnWithSteps(governor, 2);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    governor.settled();
    expect(governor.view.exhausted).toBe(true);
    expect(governor.beforeTurn()).toMatchObject({ kind: "stop", ...named("steps"), used: 1, max: 1 });
  }
});

test("no call begins while a person is asked, nor after a no [StepRefusedBetweenTurns] [NothingRunsWhileAsking]", () => {
  const governor = asking();
  const before = governor.state;
  expect(governor.beforeStep()).toMatchObject({ kind: "refuse", ...named("turns"), used: 2, max: 2 });
  expect(governor.state).toEqual(before);
  governor.answer(false);
  expect(governor.beforeStep()).toMatchObject({ kind: "refuse", limit: "turns" });
});

test("a call that no run is under way for begins one, with the steps that are left [ProgramContinues]", () => {
  const governor = createGovernor({ steps: 1 });
  expect(takeSteps(governor, 2)).toEqual(["proceed", "refuse"]);
  expect(governor.settled()).toMatchObject({ kind: "stopped", turns: 0, steps: 1 });
});

test("a reset gives new steps in the middle of a run [CountersReset]", () => {
  const governor = prompted({ steps: 2 });
  turnWithSteps(governor, 2);
  governor.reset();
  expect(governor.view.totals.steps).toBe(0);
  expect(turnWithSteps(governor, 3)).toEqual(["proceed", "proceed", "refuse"]);
});

test("a step limit raised during a run leaves the counter and admits the rest [LimitChanged]", () => {
  const governor = prompted({ steps: 2 });
  turnWithSteps(governor, 2);
  change(governor, { steps: 4 });
  expect(governor.view.totals.steps).toBe(2);
  expect(turnWithSteps(governor, 3)).toEqual(["proceed", "proceed", "refuse"]);
});

test("a step limit set during a run counts from the next step on [LimitReEnabled]", () => {
  const governor = prompted({});
  turnWithSteps(governor, 5);
  change(governor, { steps: 9 });
  expect(used(governor, "steps")).toBe(0);
  turnWithSteps(governor, 6);
  expect(used(governor, "steps")).toBe(6);
});

test("a step limit removed during a run refuses nothing more [LimitRemoved]", () => {
  const governor = prompted({ steps: 9 });
  turnWithSteps(governor, 6);
  change(governor, { steps: "unlimited" });
  expect(turnWithSteps(governor, 20)).not.toContain("refuse");
});

test("a step limit lowered during a run to what was used refuses the next step [LimitChanged]", () => {
  const governor = prompted({ steps: 3 });
  turnWithSteps(governor, 2);
  change(governor, { steps: 2 });
  expect(turnWithSteps(governor, 1)).toEqual(["refuse"]);
  expect(governor.view.stop).toMatchObject({ ...named("steps"), used: 2, max: 2 });
});

test("a step limit raised too late leaves a stop a stop, and lets a program go on after it [LimitChanged] [RunIsEnded]", () => {
  const governor = prompted({ steps: 1 });
  turnWithSteps(governor, 2);
  change(governor, { steps: 5 });
  expect(governor.beforeTurn().kind).toBe("stop");
  governor.settled();
  expect(governor.view.exhausted).toBe(false);
  expect(turnWithSteps(governor, 5)).toEqual(["proceed", "proceed", "proceed", "proceed", "refuse"]);
});

test("a step limit that still covers nothing more leaves the agent out of steps [LimitChanged] [NothingToSynthesize]", () => {
  const governor = prompted({ steps: 2 });
  turnWithSteps(governor, 3);
  governor.settled();
  change(governor, { steps: { max: 1, onExhausted: "synthesize" } });
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", ...named("steps"), used: 2, max: 1 });
});

test("what a governor says about its step limit cannot be used to change it [BudgetIsPositive]", () => {
  const governor = createGovernor({ steps: 2 });
  expect(() => Object.assign(governor.view.settings.steps, { max: Number.NaN })).toThrow(TypeError);
  expect(governor.view.settings.steps).toMatchObject({ max: 2, onExhausted: "raise" });
});
