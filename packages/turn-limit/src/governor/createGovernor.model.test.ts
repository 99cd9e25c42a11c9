import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCommands, anyMax } from "../../test/model/commands.ts";
import { fired, RULES } from "../../test/model/rules.ts";
import { Subject } from "../../test/model/Subject.ts";
import { newWorld } from "../../test/model/World.ts";

const RUNS = 2_000;

test("whatever happens, and in whatever order, the governor does what the specification says [LimitIsNotNegative] [CompletedWithinStarted] [HeadlessNeverWaits] [UnlimitedNeverAsks] [AskedOnlyAtTheBoundary] [NothingRunsWhileAsking] [RetryFollowsFailure] [EveryRoundHasATurn] [LimitLeavesItsMark]", () => {
  const anything = fc.property(
    fc.boolean(),
    anyMax,
    fc.commands(anyCommands, { maxCommands: 60, size: "max" }),
    (canAsk, max, commands) => {
      fc.modelRun(() => ({ model: newWorld(canAsk, max), real: new Subject(canAsk, max) }), commands);
    },
  );

  fc.assert(anything, { numRuns: RUNS });

  expect([...fired].sort(), "rules that came into play").toEqual(Object.keys(RULES).sort());
}, 30_000);
