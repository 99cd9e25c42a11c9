import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCommands, anySettings } from "../../test/model/commands.ts";
import { anyTurns, callsThatRun, seen, takeTurns } from "../../test/model/repeats.ts";
import { fired, RULES } from "../../test/model/rules.ts";
import { Subject } from "../../test/model/Subject.ts";
import { newWorld } from "../../test/model/World.ts";

const RUNS = 2_000;

test("whatever happens, and in whatever order, the governor does what the specification says [LimitIsNotNegative] [BudgetIsPositive] [BudgetIsNotNegative] [CompletedWithinStarted] [ExhaustedMeansNoneLeft] [NotAskedForTwice] [GrantNeedsALimit] [GrantsEndWithTheRound] [HeadlessNeverWaits] [UnlimitedNeverAsks] [AskedOnlyAtTheBoundary] [BudgetAsksOnlyAtItsBoundary] [NothingRunsWhileAsking] [OnlyTimeAsksDuringATurn] [EndedRunsAskNothing] [BudgetNeverAdmitsAtItsBoundary] [OverrunEndsTheRun] [RetryFollowsFailure] [EveryRoundHasATurn] [ToldOnlyOncePerRound] [SynthesisHasAReason] [SynthesisHasEvidence] [LimitLeavesItsMark]", () => {
  const anything = fc.property(
    anySettings,
    fc.commands(anyCommands, { maxCommands: 80, size: "max" }),
    (settings, commands) => {
      fc.modelRun(() => ({ model: newWorld(settings), real: new Subject(settings) }), commands);
    },
  );

  fc.assert(anything, { numRuns: RUNS });

  expect([...fired.keys()].sort(), "rules that came into play").toEqual(Object.keys(RULES).sort());
}, 60_000);

test("whatever calls are made, those that repeat themselves are refused first and then end the run or lead to the question [RepeatRefused]", () => {
  const anyMax = fc.integer({ min: 1, max: 3 });
  const anything = fc.property(anyMax, fc.constantFrom("ask", "stop"), anyTurns, takeTurns);

  fc.assert(anything, { numRuns: 1_000 });

  expect(Object.values(seen).every((count) => count > 0)).toBe(true);
}, 60_000);

test("a cycle of up to 16 calls is noticed, and a longer one is not", () => {
  const anyMax = fc.integer({ min: 1, max: 4 });
  const anything = fc.property(anyMax, fc.integer({ min: 1, max: 20 }), (max, cycle) => {
    expect(callsThatRun(max, cycle, max + 2)).toBe(cycle <= 16 ? cycle * max : cycle * (max + 2));
  });

  fc.assert(anything);
});
