import { expect, test } from "vitest";
import { asking, prompted, takeSteps, takeTurns, turnWithSteps } from "../../test/runs.ts";
import { createGovernor } from "./createGovernor.ts";

test("without a step limit every call begins, and is counted [StepUnbudgeted]", () => {
  const governor = prompted({});
  expect(new Set(turnWithSteps(governor, 500))).toEqual(new Set(["proceed"]));
  expect(governor.stepsUsed).toBe(500);
  expect(governor.settled()).toMatchObject({ kind: "completed", steps: 500, maxSteps: "unlimited" });
});

test("of a batch of 6 with 2 left exactly the first 2 begin [StepTaken] [StepBudgetRaises]", () => {
  const governor = prompted({ steps: 5 });
  turnWithSteps(governor, 3);
  expect(turnWithSteps(governor, 6)).toEqual(["proceed", "proceed", "refuse", "refuse", "refuse", "refuse"]);
  expect(governor.stepsUsed).toBe(5);
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
    touched: false,
  });
});

test("a refused call gets a reason that the model can read [StepBudgetRaises]", () => {
  const governor = prompted({ steps: 1 });
  turnWithSteps(governor, 1);
  governor.beforeTurn();
  expect(governor.beforeStep()).toEqual({
    kind: "refuse",
    limit: "steps",
    used: 1,
    max: 1,
    reason: "Not run: the step limit is reached (1/1). No more tool calls are possible in this run.",
  });
});

test("a run that is out of steps is stopped before its next turn [StepBudgetRaises] [RunEndsStopped]", () => {
  const governor = prompted({ turns: 9, steps: 2 });
  turnWithSteps(governor, 3);
  const stop = { kind: "stop", outcome: "stopped", limit: "steps", used: 2, max: 2 };
  expect(governor.status).toBe("ending");
  expect(governor.stop).toEqual(stop);
  expect(governor.beforeTurn()).toEqual(stop);
  expect(governor.settled()).toEqual({
    kind: "stopped",
    limit: "steps",
    turns: 1,
    rounds: 1,
    steps: 2,
    maxTurns: 9,
    maxSteps: 2,
    touched: true,
  });
});

test("out of steps, nobody is asked, even at the turn limit [StepBudgetRaises]", () => {
  const governor = prompted({ turns: 1, steps: 1, canAsk: true });
  turnWithSteps(governor, 2);
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", limit: "steps" });
});

test("a late reply does not make a run go on that is out of steps [StepBudgetRaises]", () => {
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
  expect(governor.settled()).toMatchObject({ kind: "stopped", limit: "steps", steps: 1 });
});

test("a program cannot make an agent go on that is out of steps [ExhaustedRunStops] [ExhaustedMeansNoneLeft]", () => {
  const governor = prompted({ steps: 1 });
  turnWithSteps(governor, 2);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    governor.settled();
    expect(governor.exhausted).toBe(true);
    expect(governor.beforeTurn()).toMatchObject({ kind: "stop", limit: "steps", used: 1, max: 1 });
  }
});

test("no call begins while a person is asked, nor after a no [StepRefusedBetweenTurns] [NothingRunsWhileAsking]", () => {
  const governor = asking();
  const before = governor.state;
  expect(governor.beforeStep()).toMatchObject({ kind: "refuse", limit: "turns", used: 2, max: 2 });
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
  expect(governor.stepsUsed).toBe(0);
  expect(turnWithSteps(governor, 3)).toEqual(["proceed", "proceed", "refuse"]);
});

test("a step limit raised during a run leaves the counter and admits the rest [StepBudgetChanged]", () => {
  const governor = prompted({ steps: 2 });
  turnWithSteps(governor, 2);
  governor.steps = 4;
  expect(governor.stepsUsed).toBe(2);
  expect(turnWithSteps(governor, 3)).toEqual(["proceed", "proceed", "refuse"]);
});

test("a step limit set, lowered or removed during a run counts from the next step on [StepBudgetChanged]", () => {
  const governor = prompted({});
  turnWithSteps(governor, 5);
  governor.steps = 9;
  governor.steps = { max: 6 };
  expect(governor.steps).toEqual({ max: 6, onExhausted: "raise" });
  turnWithSteps(governor, 1);
  governor.steps = 3;
  governor.steps = "unlimited";
  expect(turnWithSteps(governor, 2)).toEqual(["proceed", "proceed"]);
  governor.steps = 3;
  expect(turnWithSteps(governor, 1)).toEqual(["refuse"]);
  expect(governor.stop).toMatchObject({ limit: "steps", used: 8, max: 3 });
});

test("a step limit raised too late leaves a stop a stop, and lets a program go on after it [StepBudgetChanged]", () => {
  const governor = prompted({ steps: 1 });
  turnWithSteps(governor, 2);
  governor.steps = 5;
  expect(governor.beforeTurn().kind).toBe("stop");
  governor.settled();
  expect(governor.exhausted).toBe(false);
  expect(turnWithSteps(governor, 5)).toEqual(["proceed", "proceed", "proceed", "proceed", "refuse"]);
});

test("a step limit that still covers nothing more leaves the agent out of steps [StepBudgetChanged] [ExhaustedRunStops]", () => {
  const governor = prompted({ steps: 2 });
  turnWithSteps(governor, 3);
  governor.settled();
  governor.steps = { max: 1, onExhausted: "synthesize" };
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", limit: "steps", used: 2, max: 1 });
});

test("what a governor says about its step limit cannot be used to change it [BudgetIsPositive]", () => {
  const governor = createGovernor({ steps: 2 });
  expect(() => Object.assign(governor.steps, { max: Number.NaN })).toThrow(TypeError);
  expect(governor.steps).toEqual({ max: 2, onExhausted: "raise" });
});
