import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCommands, anySettings } from "./commands.ts";
import { INVARIANTS } from "./invariants.ts";
import { timesFired } from "./rule.ts";
import "./call-rules.ts";
import "./counting-rules.ts";
import "./question-rules.ts";
import "./turn-rules.ts";
import { Subject } from "./subject.ts";
import { World } from "./world.ts";

test("whatever happens, and in whatever order, the governor does what the specification says [LimitIsNotNegative] [BudgetIsPositive] [BudgetIsNotNegative] [RoundIsOnTheMeter] [HeadlessNeverAsks] [RefuseIsForCalls] [GrantNeedsALimit] [GrantsEndWithTheRound] [CompletedWithinStarted] [ExhaustedMeansNoneLeft] [NotAskedForTwice] [HeadlessNeverWaits] [UnlimitedNeverAsks] [AskedOnlyAtTheBoundary] [NothingRunsWhileAsking] [OnlyTimeAsksDuringATurn] [EndedRunsAskNothing] [OneQuestionAtATime] [OverrunEndsTheRun] [RetryFollowsFailure] [EveryRoundHasATurn] [SynthesisHasAReason] [SynthesisHasEvidence] [SynthesisNeverRaises] [RaisingIsAStop] [WrappedUpMeansWarned] [ToldOnlyOncePerRound] [LimitLeavesItsMark] [BudgetNeverAdmitsAtItsBoundary]", () => {
  const isMirrored = fc.integer({ min: 0, max: 11 }).map((number) => number === 11);
  const anyHost = fc.record({ reports: fc.constantFrom("never", "at once", "late"), isMirrored });
  const anyHistory = fc.commands(anyCommands, { maxCommands: 40, size: "max" });
  const anything = fc.property(anySettings, anyHost, anyHistory, (settings, host, commands) => {
    fc.modelRun(() => ({ model: new World(settings), real: new Subject(settings, host) }), commands);
  });

  fc.assert(anything, { numRuns: 2_000 });

  const idle = [...timesFired].filter(([, times]) => times === 0);
  expect(idle, "rules that did not come into play").toEqual([]);
}, 120_000);

test("the model has the rules and invariants of the specification, and no others", () => {
  const folder = join(import.meta.dirname, "../../../pi-turn-limit/spec");
  // Sub-agents, who counts as a person, and keys are the host's to know. Pools have a model of their own.
  const around = ["sessions-and-people.allium", "at-the-terminal.allium", "shared-budgets.allium"];
  const files = readdirSync(folder).filter((file) => file.endsWith(".allium") && !around.includes(file));
  const text = files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
  const named = (kind: string) =>
    [...text.matchAll(RegExp(`^\\s*${kind} (\\w+) \\{`, "gm"))].map(([, name]) => name);
  // How it is set up, what it refuses, and what a driver does.
  const elsewhere = ["SessionOpens", "BudgetOpens", "CallCutOff", "ChangedTimeHoldsAtOnce"];
  const refusing = ["BadSettingsRefused", "BadReplyRefused", "BadUsageRefused", "BadTimeRefused"];

  expect([...timesFired.keys(), ...elsewhere, ...refusing].sort()).toEqual(named("rule").sort());
  // There is one run in a governor, and an onlooker sees to the boundaries.
  const others = ["OneOpenRun", "BudgetNeverAdmitsAtItsBoundary"];
  expect([...Object.keys(INVARIANTS), ...others].sort()).toEqual(named("invariant").sort());
});
