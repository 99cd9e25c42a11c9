import { expect, test } from "vitest";
import { createGovernor, DEFAULT_SYNTHESIS_MESSAGE, DEFAULT_WRAP_UP_MESSAGE } from "../../src/index.ts";
import { named } from "../helpers/named.ts";
import { prompted, saved, takeTurns, used } from "../helpers/runs.ts";

const SYNTHESIZE = { max: 2, onExhausted: "synthesize" } as const;
const submit = { id: "s", tool: "submit" };

/** A governor whose last turn has begun. */
function inLastTurn(options: Parameters<typeof prompted>[0] = {}, finalTool?: string | false) {
  const governor = prompted({ turns: SYNTHESIZE, finalTool: "submit", ...options });
  takeTurns(governor, 2);
  return { governor, decision: governor.beforeTurn({ finalTool }) };
}

test("the last turn offers the final tool alone, and says so [LastTurnByFinalTool]", () => {
  const { decision } = inLastTurn();
  expect(decision).toMatchObject({ kind: "synthesize", ...named("turns"), finalTool: "submit" });
  const { message } = decision as { message: string };
  expect(message).toContain('"submit" is the only tool that you have left');
  expect(message).not.toBe(DEFAULT_SYNTHESIS_MESSAGE);
});

test("the host knows the final tool better than the settings do [LastTurnByFinalTool]", () => {
  expect(inLastTurn({}, "extract-1").decision).toMatchObject({ finalTool: "extract-1" });
  const { decision } = inLastTurn({}, false);
  expect(decision).toMatchObject({ kind: "synthesize", message: DEFAULT_SYNTHESIS_MESSAGE });
  expect(decision).not.toHaveProperty("finalTool");
});

test("a text of the caller's own stays as it is [LastTurnByFinalTool]", () => {
  expect(inLastTurn({ synthesisMessage: "Answer!" }).decision).toMatchObject({
    message: "Answer!",
    finalTool: "submit",
  });
});

test("its call is the answer, once: the run is salvaged, and no turn follows [FinalToolDelivers] [RunEndsSalvaged]", () => {
  const { governor } = inLastTurn({ steps: 5 });
  expect(governor.beforeStep({ id: "w", tool: "work" }).kind).toBe("refuse");
  expect(governor.beforeStep(submit)).toEqual({ kind: "proceed", isAnswer: true });
  expect(governor.stepExecuted()).toBeUndefined();
  governor.stepEnded({ id: "s", result: "accepted" });
  expect(governor.beforeStep({ id: "s2", tool: "submit" }).kind).toBe("refuse");
  governor.turnEnded();
  expect(governor.beforeTurn().kind).toBe("stop");
  expect(governor.view.stop).toBeNull();
  expect(governor.settled()).toMatchObject({ kind: "salvaged", ...named("turns"), turns: 3, steps: 0 });
});

test.each([
  [
    "failed",
    (governor: ReturnType<typeof createGovernor>) =>
      governor.stepEnded({ id: "s", result: "no", failed: true }),
  ],
  ["was denied", (governor: ReturnType<typeof createGovernor>) => governor.stepDenied({ id: "s" })],
])(
  "a call of it that %s is no answer, and is not asked for again [FailedAnswerIsNone] [SynthesisNeverRepeats]",
  (_, end) => {
    const { governor } = inLastTurn();
    governor.beforeStep(submit);
    end(governor);
    governor.turnEnded();
    expect(governor.beforeTurn()).toMatchObject({ kind: "stop", outcome: "stopped" });
    expect(governor.settled()).toMatchObject({ kind: "stopped", ...named("turns") });
  },
);

test("in any turn its call is no step [FinalToolDelivers]", () => {
  const governor = prompted({ steps: 1, finalTool: "submit" });
  governor.beforeTurn();
  expect(governor.beforeStep({ id: "w", tool: "work" })).toEqual({ kind: "proceed" });
  governor.stepExecuted();
  expect(governor.beforeStep(submit)).toEqual({ kind: "proceed", isAnswer: true });
  expect(governor.stepExecuted()).toBeUndefined();
  expect(used(governor, "steps")).toBe(1);
  expect(governor.beforeStep({ id: "w2", tool: "work" }).kind).toBe("refuse");
});

test("a boundary after the answer asks nobody, and ends the run as it would have ended [DeliveredAtBoundary]", () => {
  const governor = prompted({ turns: 1, finalTool: "submit", canAsk: true });
  governor.beforeTurn();
  governor.beforeStep(submit);
  governor.turnEnded();
  expect(governor.beforeTurn().kind).toBe("stop");
  expect(governor.view.question).toBeNull();
  expect(governor.settled()).toMatchObject({ kind: "completed", intervened: false });
});

test("an answer before the boundary is forgotten when another turn begins [DeliveredAtBoundary]", () => {
  const governor = prompted({ turns: 2, finalTool: "submit", canAsk: true });
  governor.beforeTurn();
  governor.beforeStep(submit);
  governor.turnEnded();
  expect(takeTurns(governor)).toBe(1);
  expect(governor.view.question).not.toBeNull();
});

test("the wrap-up says with which tool to deliver [LastTurnByFinalTool]", () => {
  const turns = { max: 2, grace: 1 };
  const told = (options: object) => {
    const governor = prompted({ turns, ...options });
    governor.beforeTurn();
    governor.turnEnded();
    return (governor.beforeTurn() as { message?: string }).message;
  };
  expect(told({})).toBe(DEFAULT_WRAP_UP_MESSAGE);
  expect(told({ finalTool: "submit" })).toContain('by calling "submit"');
  expect(told({ finalTool: "submit", turns: { ...turns, wrapUp: { message: "Now." } } })).toBe("Now.");
});

test("what was answered, and with which tool it can be, is saved [FinalToolDelivers]", () => {
  const { governor } = inLastTurn();
  const restored = saved(governor, { finalTool: "submit" });
  expect(restored.beforeStep(submit).kind).toBe("proceed");
  expect(saved(restored, { finalTool: "submit" }).beforeStep({ id: "s2", tool: "submit" }).kind).toBe(
    "refuse",
  );
  restored.turnEnded();
  expect(saved(restored).settled()).toMatchObject({ kind: "salvaged" });
});

test.each([[5], [""], [["submit"]]])("a final tool that is %j is refused", (finalTool) => {
  expect(() => createGovernor({ finalTool } as never)).toThrow("finalTool");
});

test("with a final tool, calls have to be named", () => {
  expect(() => prompted({ finalTool: "submit" }).beforeStep()).toThrow("a final tool");
});
