import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCommands, anySettings } from "../../test/model/commands.ts";
import { fired, RULES } from "../../test/model/rules.ts";
import { Subject } from "../../test/model/Subject.ts";
import { newWorld } from "../../test/model/World.ts";

const RUNS = 3_000;

test("whatever happens, and in whatever order, the governor does what the specification says [LimitIsNotNegative] [BudgetIsPositive] [CompletedWithinStarted] [ExhaustedMeansNoneLeft] [NotAskedForTwice] [HeadlessNeverWaits] [UnlimitedNeverAsks] [AskedOnlyAtTheBoundary] [NothingRunsWhileAsking] [RetryFollowsFailure] [EveryRoundHasATurn] [ToldOnlyOncePerRound] [SynthesisHasAReason] [SynthesisHasEvidence] [LimitLeavesItsMark]", () => {
  const anything = fc.property(
    anySettings,
    fc.commands(anyCommands, { maxCommands: 80, size: "max" }),
    (settings, commands) => {
      fc.modelRun(() => ({ model: newWorld(settings), real: new Subject(settings) }), commands);
    },
  );

  fc.assert(anything, { numRuns: RUNS });

  expect([...fired].sort(), "rules that came into play").toEqual(Object.keys(RULES).sort());
}, 60_000);
