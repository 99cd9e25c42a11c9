import { named } from "../helpers/named.ts";
import { allowedOf, Budget, noTotals } from "./limits.ts";
import { ANY, always, type Condition, define, happens, not, OPEN, on, to } from "./rule.ts";
import { noCount } from "./world.ts";

const isWorking: Condition = ({ run }) => run !== undefined && !run.question && !run.waiting;
const isOneTooMany: Condition = ({ world, what }) => {
  const { isBroken, done, admitted } = world.counts[what];
  return isBroken || done >= admitted;
};

// What counts.
define({
  SpendingCounts: on("UsageReported", OPEN, always, ({ world, spent }) => world.count(spent)),
  SpendingOutsideRunCounts: on("SpentOutsideRun", ANY, always, ({ world, spent }) => world.count(spent)),
  UnpricedModelNoticed: on("PriceMissing", ANY, always, ({ world }) => {
    world.priceUnknown = true;
  }),
  TimeCounts: on("ClockRead", ANY, isWorking, ({ world, time }) => {
    world.count({ time: Math.max(0, time - world.clock) });
    world.clock = time;
  }),
  WaitingIsFree: on("ClockRead", ANY, not(isWorking), ({ world, time }) => {
    world.clock = time;
  }),
  WaitingReported: on("WaitingChanged", OPEN, always, ({ run, waiting }) => {
    run.waiting = waiting;
  }),
});

// A new round.
define({
  RoundIsNew: on("RoundBegins", ANY, always, ({ world, run, budget }) => {
    const { name, terms } = budget;
    Object.assign(budget, new Budget(name, terms));
    if (run) run.admitted = undefined;
    // Of a limit that is not set no round begins.
    if (terms || name === "turns") for (const told of run?.open ?? []) told.length = 0;
    if (name === "turns") Object.assign(world, { completed: 0, wrapUpSent: false, turnAbandoned: false });
    if (name === "turns" && run) run.wrapUpTold = false;
    if (name !== "turns" && name !== "steps") return;
    const { admitted, done } = world.counts[name];
    const left = Math.max(0, admitted - done);
    world.counts[name] = { ...noCount(), admitted: left, exempt: left };
  }),
  CountersReset: on("ResetRequested", ANY, always, ({ world }) => {
    Object.assign(world, { declined: false, priceUnknown: false, totals: noTotals() });
    for (const budget of Object.values(world.budgets)) happens(world, "RoundBegins", { budget });
    happens(world, "QuestionDrops");
  }),
});

// The self-check.
define({
  AdmissionIsChecked: on("WorkAdmitted", OPEN, always, ({ world: { counts, budgets }, what, covered }) => {
    const count = counts[what];
    const max = allowedOf(budgets[what]);
    count.admitted += 1;
    if (!covered) count.exempt += 1;
    else if (max !== "unlimited" && count.counted >= max) count.isBroken = true;
  }),
  WorkAccounted: on("WorkDone", OPEN, not(isOneTooMany), to("WorkCounted")),
  WorkOverruns: on("WorkDone", OPEN, isOneTooMany, ({ world, what }) => {
    happens(world, "WorkCounted", { what });
    const boundary = {
      ...named(what),
      used: world.counts[what].counted,
      max: allowedOf(world.budgets[what]),
    };
    happens(world, "RunMustEnd", { boundary, outcome: "limit-overrun", raises: false });
  }),
  WorkIsCountedAgain: on("WorkCounted", OPEN, always, ({ world, run, what }) => {
    if (what === "turns") run.admitted = undefined;
    const count = world.counts[what];
    count.done += 1;
    if (count.exempt > 0) count.exempt -= 1;
    else count.counted += 1;
  }),
});
