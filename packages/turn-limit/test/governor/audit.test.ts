import { afterEach, expect, test, vi } from "vitest";
import { Budget } from "../../src/core/governor/budget.ts";
import { Meter } from "../../src/core/meter/meter.ts";
import { createGovernor, type Governor, type Stop } from "../../src/index.ts";
import { named } from "../helpers/named.ts";
import { change, prompted, takeTurns } from "../helpers/runs.ts";

afterEach(() => vi.restoreAllMocks());

test("a turn counter that is broken is noticed at the first request too many [AdmissionIsChecked] [WorkOverruns]", () => {
  vi.spyOn(Meter.prototype, "turn").mockReturnValue();
  const governor = prompted({ turns: 3 });
  expect(sendTurns(governor, 3)).toEqual([undefined, undefined, undefined]);
  expect(sendTurns(governor, 1)).toEqual([
    { kind: "stop", outcome: "limit-overrun", raises: false, ...named("turns"), used: 4, max: 3 },
  ]);
  expect(governor.view.status).toBe("ending");
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", outcome: "limit-overrun" });
  expect(governor.settled()).toMatchObject({ kind: "limit-overrun", ...named("turns"), intervened: true });
});

test("a turn counter that breaks in a later round, or a later run of it, is noticed too", () => {
  const governor = prompted({ turns: 2, canAsk: true });
  sendTurns(governor, 2);
  governor.beforeTurn();
  governor.answer(true);
  governor.requestSent();
  governor.turnEnded();
  governor.settled();
  vi.spyOn(Meter.prototype, "turn").mockReturnValue();
  expect(sendTurns(governor, 2)).toEqual([undefined, expect.objectContaining({ outcome: "limit-overrun" })]);
});

test("a boundary that is overlooked is noticed at the first request too many", () => {
  vi.spyOn(Budget.prototype, "turnBoundary").mockReturnValue(undefined);
  const governor = prompted({ turns: 3 });
  expect(sendTurns(governor, 4)).toEqual([
    undefined,
    undefined,
    undefined,
    expect.objectContaining({ outcome: "limit-overrun", used: 4, max: 3 }),
  ]);
});

test("a limit of 0 that admits all the same is noticed at the first request", () => {
  vi.spyOn(Budget.prototype, "turnBoundary").mockReturnValue(undefined);
  expect(sendTurns(prompted({ turns: 0 }), 1)).toEqual([
    { kind: "stop", outcome: "limit-overrun", raises: false, ...named("turns"), used: 1, max: 0 },
  ]);
});

test("a yes at another limit hides no broken turn counter", () => {
  vi.spyOn(Meter.prototype, "turn").mockReturnValue();
  const governor = prompted({ turns: 2, tools: { bash: 0 }, canAsk: true });
  sendTurns(governor, 1);
  governor.beforeStep({ tool: "bash" });
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit: "tools.bash" });
  governor.answer(true);
  expect(governor.requestSent()).toBeUndefined();
  governor.turnEnded();
  expect(sendTurns(governor, 1)).toEqual([expect.objectContaining({ outcome: "limit-overrun" })]);
});

test("a step counter that is broken is noticed at the first call too many [AdmissionIsChecked] [WorkOverruns]", () => {
  vi.spyOn(Meter.prototype, "call").mockReturnValue();
  const governor = prompted({ steps: 2 });
  governor.beforeTurn();
  expect(executeSteps(governor, 3)).toEqual([
    undefined,
    undefined,
    { kind: "stop", outcome: "limit-overrun", raises: false, ...named("steps"), used: 3, max: 2 },
  ]);
  expect(governor.beforeStep()).toMatchObject({ kind: "refuse", limit: "steps" });
  expect(governor.settled()).toMatchObject({ kind: "limit-overrun", limit: "steps" });
});

test("a step counter that breaks after a yes is noticed: a yes gives no new steps", () => {
  const governor = prompted({ turns: 1, steps: 2, canAsk: true });
  governor.beforeTurn();
  executeSteps(governor, 2);
  governor.turnEnded();
  governor.beforeTurn();
  governor.answer(true);
  vi.spyOn(Budget.prototype, "uncovered").mockReturnValue(undefined);
  expect(executeSteps(governor, 1)).toEqual([expect.objectContaining({ outcome: "limit-overrun" })]);
});

test("a request that nobody admitted is one too many, and so is a call", () => {
  const requests = prompted({});
  requests.beforeTurn();
  expect(requests.requestSent()).toBeUndefined();
  expect(requests.requestSent()).toMatchObject({
    outcome: "limit-overrun",
    ...named("turns"),
    used: 2,
    max: 25,
  });

  const calls = prompted({});
  calls.beforeTurn();
  calls.beforeStep();
  expect(calls.stepExecuted()).toBeUndefined();
  expect(calls.stepExecuted()).toMatchObject({
    outcome: "limit-overrun",
    ...named("steps"),
    max: "unlimited",
  });
});

test("a call that was refused and is executed all the same is one too many", () => {
  const governor = prompted({ tools: { bash: 0 }, canAsk: true });
  governor.beforeTurn();
  governor.beforeStep({ tool: "bash" });
  expect(governor.stepExecuted()).toMatchObject({ outcome: "limit-overrun" });
});

test("a request for the answer without tools that is sent twice is one too many", () => {
  const governor = prompted({ turns: { max: 1, headless: "synthesize" } });
  sendTurns(governor, 2);
  expect(governor.requestSent()).toMatchObject({ outcome: "limit-overrun" });
});

test("a prompt begins anew after a run that was stopped that way", () => {
  const governor = prompted({ turns: 1 });
  governor.requestSent();
  governor.prompt();
  expect(sendTurns(governor, 1)).toEqual([undefined]);
});

test("what is sent or executed without a run is nobody's", () => {
  const governor = createGovernor({ turns: 1 });
  expect([governor.requestSent(), governor.stepExecuted()]).toEqual([undefined, undefined]);
  governor.prompt();
  expect(sendTurns(governor, 1)).toEqual([undefined]);
});

test("a host that says nothing of what it sends is not suspected of anything", () => {
  const governor = prompted({ turns: 3, canAsk: true });
  takeTurns(governor);
  governor.answer(true);
  expect(governor.requestSent()).toBeUndefined();
});

test("a retry, a wrap-up beyond the limit, and the answer without tools are not too many [WorkIsCountedAgain] [WorkAccounted]", () => {
  const governor = prompted({ turns: 1, steps: { max: 1, onExhausted: "synthesize" }, canAsk: true });
  const sent = sendTurns(governor, 1);
  governor.turnDiscarded();
  sent.push(...sendTurns(governor, 1));
  governor.beforeTurn();
  governor.answer("wrap-up");
  sent.push(governor.requestSent(), ...executeSteps(governor, 2));
  governor.turnEnded();
  sent.push(...sendTurns(governor, 1));
  expect(governor.settled()).toMatchObject({ kind: "salvaged", turns: 3 });
  expect(sent).toEqual(new Array(6).fill(undefined));
});

test("where the limit is 0, a turn that a yes lets begin is none too many [WorkIsCountedAgain] [ContinuationConfirmed]", () => {
  const governor = prompted({ turns: 0, canAsk: true });
  for (let turn = 0; turn < 3; turn += 1) {
    governor.beforeTurn();
    governor.answer(true);
    expect(governor.requestSent()).toBeUndefined();
    governor.turnEnded();
  }
});

test("a limit lowered between the admission and the sending takes nothing back", () => {
  const governor = prompted({ turns: 5, steps: 5 });
  sendTurns(governor, 2);
  governor.beforeTurn();
  governor.beforeStep();
  change(governor, { turns: 1 });
  change(governor, { steps: 1 });
  expect([governor.requestSent(), governor.stepExecuted()]).toEqual([undefined, undefined]);
});

test.each<[string, (governor: Governor) => void]>([
  ["a reset", (governor) => governor.reset()],
  ["a person's prompt", (governor) => governor.prompt()],
  [
    "a limit that comes into force again",
    (governor) => {
      change(governor, { turns: "unlimited" });
      change(governor, { turns: 1 });
    },
  ],
])(
  "%s between the admission and the sending does not make the next turn one too many",
  (_what, startOver) => {
    const governor = prompted({ turns: 1, steps: 1, canAsk: true });
    governor.beforeTurn();
    governor.beforeStep();
    startOver(governor);
    expect([governor.requestSent(), governor.stepExecuted()]).toEqual([undefined, undefined]);
    governor.turnEnded();
    expect(sendTurns(governor, 1)).toEqual([undefined]);
    expect(executeSteps(governor, 1)).toEqual([undefined]);
  },
);

/** Takes turns whose requests are really sent. Returns what is said to that. */
function sendTurns(governor: Governor, count: number, failure?: "failed"): (Stop | undefined)[] {
  return Array.from({ length: count }, () => {
    governor.beforeTurn();
    const stop = governor.requestSent();
    governor.turnEnded(failure);
    return stop;
  });
}

function executeSteps(governor: Governor, count: number): (Stop | undefined)[] {
  return Array.from({ length: count }, () =>
    governor.beforeStep().kind === "proceed" ? governor.stepExecuted() : undefined,
  );
}

test("a yes in the middle of the last turn covers that turn, and the next one is asked about", () => {
  const governor = prompted({ turns: 1, time: 9, canAsk: true });
  governor.timeIs(0);
  governor.beforeTurn();
  governor.timeIs(9);
  governor.overdue();
  governor.answer(true);
  expect(governor.requestSent()).toBeUndefined();
  governor.turnEnded();
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit: "turns" });
});
