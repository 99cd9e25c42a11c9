import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compareHistories, watchHistories } from "./histories.ts";
import { INVARIANTS } from "./invariants.ts";
import { timesFired } from "./rule.ts";

// By a number of histories, and few at a time: no machine is too slow for one of these tests.
const HISTORIES = 100;

test.for([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
  "whatever happens, and in whatever order, the governor does what the specification says: part %i of 10",
  () => {
    compareHistories(HISTORIES);
  },
);

test("every rule of the model comes into play", () => {
  const idle = () => [...timesFired].filter(([, times]) => times === 0).map(([name]) => name);
  for (let more = 0; idle().length > 0 && more < 50; more++) compareHistories(HISTORIES);

  expect(idle()).toEqual([]);
});

test("whatever happens, no turn or call begins at a boundary unless a person lets it [BudgetNeverAdmitsAtItsBoundary]", () => {
  // The onlooker in every history counts along.
  compareHistories(HISTORIES);
});

test("whatever happens, no limit is below 0 [LimitIsNotNegative]", () => {
  expect(watchHistories("LimitIsNotNegative").applied).toBeGreaterThan(0);
});

test("whatever happens, a limit of steps or of repeats admits at least one [BudgetIsPositive]", () => {
  expect(watchHistories("BudgetIsPositive").applied).toBeGreaterThan(0);
});

test("whatever happens, nothing is used less than not at all [BudgetIsNotNegative]", () => {
  expect(watchHistories("BudgetIsNotNegative").applied).toBeGreaterThan(0);
});

test("whatever happens, no round begins later than the meter reads [RoundIsOnTheMeter]", () => {
  expect(watchHistories("RoundIsOnTheMeter").applied).toBeGreaterThan(0);
});

test("whatever happens, no limit asks where nobody can be asked [HeadlessNeverAsks]", () => {
  expect(watchHistories("HeadlessNeverAsks").applied).toBeGreaterThan(0);
});

test("whatever happens, only limits of calls refuse [RefuseIsForCalls]", () => {
  expect(watchHistories("RefuseIsForCalls").applied).toBeGreaterThan(0);
});

test("whatever happens, more turns are granted only where there is a limit [GrantNeedsALimit]", () => {
  expect(watchHistories("GrantNeedsALimit").applied).toBeGreaterThan(0);
});

test("whatever happens, a new round of turns has no grant [GrantsEndWithTheRound]", () => {
  expect(watchHistories("GrantsEndWithTheRound").applied).toBeGreaterThan(0);
});

test("whatever happens, no more turns are completed than were started [CompletedWithinStarted]", () => {
  expect(watchHistories("CompletedWithinStarted").applied).toBeGreaterThan(0);
});

test("whatever happens, a limit that was exceeded has nothing left [ExhaustedMeansNoneLeft]", () => {
  expect(watchHistories("ExhaustedMeansNoneLeft").applied).toBeGreaterThan(0);
});

test("whatever happens, a wrap-up is not asked for again once the model was told [NotAskedForTwice]", () => {
  expect(watchHistories("NotAskedForTwice").applied).toBeGreaterThan(0);
});

test("whatever happens, nothing waits for a reply where nobody can be asked [HeadlessNeverWaits]", () => {
  expect(watchHistories("HeadlessNeverWaits").applied).toBeGreaterThan(0);
});

test("whatever happens, no question is about what is unlimited [UnlimitedNeverAsks]", () => {
  expect(watchHistories("UnlimitedNeverAsks").applied).toBeGreaterThan(0);
});

test("whatever happens, a question is about a limit that is used up [AskedOnlyAtTheBoundary]", () => {
  expect(watchHistories("AskedOnlyAtTheBoundary").applied).toBeGreaterThan(0);
});

test("whatever happens, no request is in flight while a turn is held [NothingRunsWhileAsking]", () => {
  expect(watchHistories("NothingRunsWhileAsking").applied).toBeGreaterThan(0);
});

test("whatever happens, only time asks during a turn [OnlyTimeAsksDuringATurn]", () => {
  expect(watchHistories("OnlyTimeAsksDuringATurn").applied).toBeGreaterThan(0);
});

test("whatever happens, a run that ends asks nothing [EndedRunsAskNothing]", () => {
  expect(watchHistories("EndedRunsAskNothing").applied).toBeGreaterThan(0);
});

test("whatever happens, a held run has its one question [OneQuestionAtATime]", () => {
  expect(watchHistories("OneQuestionAtATime").applied).toBeGreaterThan(0);
});

test("whatever happens, a run that did more than was admitted is over [OverrunEndsTheRun]", () => {
  expect(watchHistories("OverrunEndsTheRun").applied).toBeGreaterThan(0);
});

test("whatever happens, only a turn that began is made again [RetryFollowsFailure]", () => {
  expect(watchHistories("RetryFollowsFailure").applied).toBeGreaterThan(0);
});

test("whatever happens, every round has a turn [EveryRoundHasATurn]", () => {
  expect(watchHistories("EveryRoundHasATurn").applied).toBeGreaterThan(0);
});

test("whatever happens, a tools-free turn is due because of a limit [SynthesisHasAReason]", () => {
  expect(watchHistories("SynthesisHasAReason").applied).toBeGreaterThan(0);
});

test("whatever happens, a tools-free turn has something to answer from [SynthesisHasEvidence]", () => {
  expect(watchHistories("SynthesisHasEvidence").applied).toBeGreaterThan(0);
});

test("whatever happens, a run that had its tools-free turn does not raise [SynthesisNeverRaises]", () => {
  expect(watchHistories("SynthesisNeverRaises").applied).toBeGreaterThan(0);
});

test("whatever happens, what raises is a stop [RaisingIsAStop]", () => {
  expect(watchHistories("RaisingIsAStop").applied).toBeGreaterThan(0);
});

test("whatever happens, a run that wrapped up was told to [WrappedUpMeansWarned]", () => {
  expect(watchHistories("WrappedUpMeansWarned").applied).toBeGreaterThan(0);
});

test("whatever happens, the model is told to wrap up once per round [ToldOnlyOncePerRound]", () => {
  expect(watchHistories("ToldOnlyOncePerRound").applied).toBeGreaterThan(0);
});

test("whatever happens, a limit that was felt has left its mark [LimitLeavesItsMark]", () => {
  expect(watchHistories("LimitLeavesItsMark").applied).toBeGreaterThan(0);
});

test("the model has the rules and invariants of the specification, and no others", () => {
  const folder = join(import.meta.dirname, "../../../pi-turn-limit/spec");
  // Sub-agents, who counts as a person, keys, the tool that is the answer, and what runs took before are the host's to know.
  // Windows of a subscription are told. Pools have a model of their own, and extensions random histories of theirs.
  const around = [
    "extensions.allium",
    "final-tool.allium",
    "limits-from-history.allium",
    "sessions-and-people.allium",
    "at-the-terminal.allium",
    "shared-budgets.allium",
    "listed-runs.allium",
    "subscriptions.allium",
  ];
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
  const ofExtensions = ["CheckedOnlyAtTheBoundary", "ExtendIsNoPolicy", "OnlyTurnsAreExtended"];
  expect([...Object.keys(INVARIANTS), ...others, ...ofExtensions].sort()).toEqual(named("invariant").sort());
});
