import { expect, test } from "vitest";
import { DEFAULT_SYNTHESIS_MESSAGE } from "../../src/index.ts";
import { named } from "../helpers/named.ts";
import {
  change,
  decisions,
  outOfSteps,
  prompted,
  takeSteps,
  takeTurns,
  turnWithSteps,
  used,
} from "../helpers/runs.ts";

const SYNTHESIZE_AFTER_2 = { max: 2, onExhausted: "synthesize" } as const;

test("the call that finds no step left makes the tools-free turn due, those after it are refused [CallSynthesizes] [StepRefusedAfterExhaustion]", () => {
  const governor = prompted({ steps: SYNTHESIZE_AFTER_2 });
  governor.beforeTurn();
  takeSteps(governor, 2);
  expect(governor.view.synthesizing).toBe(false);
  const reason = "Not run: the step limit is reached (2/2). No more tool calls are possible in this run.";
  expect(governor.beforeStep()).toEqual({ kind: "synthesize", ...named("steps"), used: 2, max: 2, reason });
  expect(governor.view.synthesizing).toBe(true);
  expect(governor.beforeStep()).toEqual({ kind: "refuse", ...named("steps"), used: 2, max: 2, reason });
  expect(governor.beforeStep().kind).toBe("refuse");
});

test("the tools-free turn begins once, is counted, and salvages the run [SynthesisBegins] [RunEndsSalvaged]", () => {
  const governor = outOfSteps({ turns: 9 });
  expect(governor.beforeTurn()).toEqual({
    kind: "synthesize",
    ...named("steps"),
    used: 2,
    max: 2,
    message: DEFAULT_SYNTHESIS_MESSAGE,
  });
  expect(used(governor, "turns")).toBe(2);
  governor.turnEnded();
  expect(governor.settled()).toEqual({
    kind: "salvaged",
    ...named("steps"),
    turns: 2,
    rounds: 1,
    steps: 2,
    maxTurns: 9,
    maxSteps: 2,
    intervened: true,
  });
  expect(governor.view.synthesizing).toBe(false);
});

test("what the model is told in the tools-free turn can be replaced [SynthesisBegins]", () => {
  const governor = outOfSteps({ synthesisMessage: "Answer!" });
  expect(governor.beforeTurn()).toMatchObject({ kind: "synthesize", message: "Answer!" });
});

test("the tools-free turn is exempt from the turn limit [SynthesisBegins]", () => {
  for (const canAsk of [true, false]) {
    const governor = outOfSteps({ turns: 1, canAsk });
    expect(governor.beforeTurn().kind).toBe("synthesize");
    expect(used(governor, "turns")).toBe(2);
  }
});

test("a call in the tools-free turn is refused [StepRefusedAfterExhaustion]", () => {
  const governor = outOfSteps({ canAsk: true });
  expect(governor.beforeTurn().kind).toBe("synthesize");
  expect(takeSteps(governor, 2)).toEqual(["refuse", "refuse"]);
});

test("a turn after the tools-free one stops the run [SynthesisNeverRepeats] [RunEndsAsDecided]", () => {
  const governor = outOfSteps({ canAsk: true });
  governor.beforeTurn();
  takeSteps(governor, 2);
  governor.turnEnded();
  const stop = { kind: "stop", outcome: "stopped", raises: false, ...named("steps"), used: 2, max: 2 };
  expect(governor.beforeTurn()).toEqual(stop);
  expect(governor.beforeTurn()).toEqual(stop);
  expect(governor.settled()).toMatchObject({ kind: "stopped", ...named("steps"), turns: 2 });
});

test("whatever is changed or reset meanwhile, there is no second tools-free turn [SynthesisNeverRepeats]", () => {
  const governor = outOfSteps();
  expect(decisions(governor, 1)).toEqual(["synthesize"]);
  governor.reset();
  change(governor, { steps: SYNTHESIZE_AFTER_2 });
  change(governor, { turns: "unlimited" });
  expect(takeSteps(governor, 3)).toEqual(["refuse", "refuse", "refuse"]);
  expect(decisions(governor, 3)).toEqual(["stop", "stop", "stop"]);
});

test("a budget raised while the tools-free turn is due does not call it off [SynthesisBegins] [LimitChanged]", () => {
  const governor = outOfSteps();
  change(governor, { steps: 50 });
  expect(governor.beforeStep().kind).toBe("refuse");
  expect(governor.beforeTurn()).toMatchObject({ kind: "synthesize", used: 2, max: 2 });
});

test("a retry of the tools-free turn is the same one [TurnRetried] [SynthesisBegins]", () => {
  const governor = outOfSteps();
  const first = governor.beforeTurn();
  governor.turnEnded("failed");
  expect(governor.beforeTurn()).toEqual(first);
  governor.turnEnded();
  governor.turnDiscarded();
  expect(governor.beforeTurn()).toEqual(first);
  governor.turnEnded();
  expect(governor.settled()).toMatchObject({ kind: "salvaged", turns: 2 });
});

test("an answer thrown away after the last step is not asked for again with tools [SynthesisBegins] [AnswerDiscarded]", () => {
  const governor = outOfSteps();
  governor.turnDiscarded();
  expect(decisions(governor, 2)).toEqual(["synthesize", "stop"]);
});

test("a turn that fails after its calls were refused is not retried with tools [SynthesisBegins] [TurnFails]", () => {
  const governor = prompted({ steps: SYNTHESIZE_AFTER_2 });
  governor.beforeTurn();
  takeSteps(governor, 3);
  governor.turnEnded("failed");
  expect(decisions(governor, 2)).toEqual(["synthesize", "stop"]);
});

test.each([
  ["failed", "failed"],
  ["aborted", "aborted"],
] as const)("a tools-free turn that %s salvaged nothing [RunFails] [RunAborted]", (failure, kind) => {
  const governor = outOfSteps();
  governor.beforeTurn();
  governor.turnEnded(failure);
  expect(governor.settled()).toMatchObject({ kind, ...named("steps"), intervened: true });
});

test("a run that ends before its tools-free turn began was stopped [RunEndsUnsalvaged]", () => {
  expect(outOfSteps().settled()).toMatchObject({ kind: "stopped", ...named("steps"), turns: 1 });
});

test("after a salvaged run only a person makes the agent work again [NothingToSynthesize] [PersonPrompts]", () => {
  const governor = outOfSteps();
  takeTurns(governor);
  governor.turnEnded();
  for (let attempt = 0; attempt < 3; attempt += 1) {
    governor.settled();
    expect(governor.beforeTurn()).toMatchObject({ kind: "stop", limit: "steps" });
  }
  governor.prompt();
  expect(turnWithSteps(governor, 3)).toEqual(["proceed", "proceed", "synthesize"]);
});

test("a program gets no tools-free turn either for a run that did nothing [NothingToSynthesize] [SynthesisHasEvidence]", () => {
  const governor = outOfSteps();
  governor.settled();
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", outcome: "stopped", limit: "steps" });
});

test("a program's call in a run that did nothing stops it [CallStops] [SynthesisHasEvidence]", () => {
  const governor = outOfSteps();
  governor.settled();
  expect(governor.beforeStep().kind).toBe("refuse");
  expect(governor.view).toMatchObject({ synthesizing: false, stop: { outcome: "stopped", limit: "steps" } });
});

test("calls that ran before the first turn are something to answer from [CallSynthesizes] [SynthesisHasEvidence]", () => {
  const governor = prompted({ steps: SYNTHESIZE_AFTER_2 });
  expect(takeSteps(governor, 3)).toEqual(["proceed", "proceed", "synthesize"]);
  expect(decisions(governor, 2)).toEqual(["synthesize", "stop"]);
  expect(governor.settled()).toMatchObject({ kind: "stopped", ...named("steps"), steps: 2, turns: 1 });
});

test("a prompt calls a tools-free turn off that is due or under way [PersonPrompts]", () => {
  const governor = outOfSteps();
  governor.prompt();
  expect(decisions(governor, 1)).toEqual(["proceed"]);
  turnWithSteps(governor, 3);
  governor.beforeTurn();
  governor.prompt();
  expect(governor.view.synthesizing).toBe(false);
  expect(decisions(governor, 1)).toEqual(["proceed"]);
});

test("where nobody can be asked, the turn limit can end in one tools-free turn [LimitSynthesizes] [SynthesisHasAReason]", () => {
  const governor = prompted({ turns: { max: 2, headless: "synthesize" } });
  takeTurns(governor, 2);
  expect(governor.beforeTurn()).toEqual({
    kind: "synthesize",
    ...named("turns"),
    used: 2,
    max: 2,
    message: DEFAULT_SYNTHESIS_MESSAGE,
  });
  expect(governor.beforeStep()).toMatchObject({ kind: "refuse", ...named("turns"), used: 2, max: 2 });
  governor.turnEnded();
  expect(governor.settled()).toMatchObject({ kind: "salvaged", ...named("turns"), turns: 3, maxTurns: 2 });
});

test("the turn limit's tools-free turn does not repeat either, nor does a program get another [SynthesisNeverRepeats] [LimitStops]", () => {
  const governor = prompted({ turns: { max: 2, headless: "synthesize" } });
  expect(decisions(governor, 4)).toEqual(["proceed", "proceed", "synthesize", "stop"]);
  governor.settled();
  expect(governor.view.exhausted).toBe(true);
  expect(decisions(governor, 2)).toEqual(["stop", "stop"]);
});

test("with a limit of 0 there is nothing to synthesize from [NothingToSynthesize] [SynthesisHasEvidence]", () => {
  const governor = prompted({ turns: { max: 0, headless: "synthesize" } });
  expect(governor.beforeTurn().kind).toBe("stop");
  expect(governor.settled()).toMatchObject({ kind: "stopped", ...named("turns"), turns: 0 });
});

test("where someone can be asked, the turn limit asks [LimitReached]", () => {
  const governor = prompted({ turns: { max: 1, headless: "synthesize" }, canAsk: true });
  expect(decisions(governor, 2)).toEqual(["proceed", "ask"]);
});

test("what happens where nobody can be asked can be changed during a run [PolicyChanged]", () => {
  const governor = prompted({ turns: 1 });
  expect(governor.view.settings.turns.headless).toBe("stop");
  takeTurns(governor, 1);
  change(governor, { turns: { headless: "synthesize" } });
  expect(decisions(governor, 2)).toEqual(["synthesize", "stop"]);
});
