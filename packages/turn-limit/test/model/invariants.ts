import assert from "node:assert/strict";
import type { GovernorState, GovernorView } from "../../src/index.ts";
import { timeLeft } from "./call-rules.ts";
import { barring, decisive, endsRun, NAMES, standingsOf } from "./limits.ts";
import type { Subject } from "./subject.ts";
import type { Run, World } from "./world.ts";

/** Whether it holds; `undefined` where the invariant has nothing to say. */
type Invariant = (view: GovernorView, state: GovernorState, world: World) => boolean | undefined;

function implies(condition: unknown, conclusion: boolean): boolean | undefined {
  return condition ? conclusion : undefined;
}

/** The invariants of the specification, read off the governor, but for whether a turn was taken back. */
export const INVARIANTS = {
  LimitIsNotNegative: ({ settings }) => bounded(settings).every(({ max }) => max === "unlimited" || max >= 0),
  BudgetIsPositive: ({ settings: { steps, repeats } }) =>
    [steps, repeats].every(({ max }) => max === "unlimited" || max >= 1),
  BudgetIsNotNegative: ({ standings }) => standings.every(({ used }) => used >= 0),
  RoundIsOnTheMeter: (_, { meter, readings }) =>
    readings.every((since) => since.turns <= meter.reading.turns && since.steps <= meter.reading.steps),
  HeadlessNeverAsks: ({ settings }) =>
    bounded(settings).every(({ headless }) => (headless as string) !== "ask"),
  RefuseIsForCalls: ({ settings: { turns, tokens, cost, time } }) =>
    [turns, tokens, cost, time].every(
      ({ onExhausted, headless }) => ![onExhausted, headless].includes("refuse" as "stop"),
    ),
  GrantNeedsALimit: ({ settings }, state) =>
    implies(turnsOf(state).granted, settings.turns.max !== "unlimited"),
  GrantsEndWithTheRound: ({ standings: [turns] }, state, { turnAbandoned }) =>
    implies(turns?.limit === "turns" && turns.used === 0 && !turnAbandoned, !turnsOf(state).granted),
  CompletedWithinStarted: (_, state) => turnsOf(state).completed >= 0 && turnsOf(state).isWithinStarted,
  ExhaustedMeansNoneLeft: ({ standings }, { budgets }) => {
    const exceeded = budgets.filter(
      ({ name, exceeded }) => exceeded && ["steps", "tools.read", "repeats"].includes(name),
    );
    const isFull = (name: string) =>
      standings.some(({ limit, used, max }) => limit === name && used >= Number(max));
    return implies(
      exceeded.length > 0,
      exceeded.every(({ name }) => isFull(name)),
    );
  },
  NotAskedForTwice: (_, { run }) => implies(run.wrapUpRequested, !run.wrapUpSent),
  HeadlessNeverWaits: ({ status, question, settings }) =>
    implies(status === "asking" || question, settings.canAsk),
  UnlimitedNeverAsks: ({ question }) => implies(question, question?.max !== "unlimited"),
  AskedOnlyAtTheBoundary: ({ question }) =>
    implies(question, Number(question?.used) >= Number(question?.max)),
  NothingRunsWhileAsking: ({ status, request }) => implies(status === "asking", request !== "in-flight"),
  OnlyTimeAsksDuringATurn: ({ status, question }) =>
    implies(question && status !== "asking", question?.limit === "time"),
  EndedRunsAskNothing: ({ status, question }) =>
    implies(question, status === "asking" || status === "running"),
  OneQuestionAtATime: ({ status, question }) => implies(status === "asking", question !== null),
  OverrunEndsTheRun: ({ status, stop }, { audit: { requests, calls } }) => {
    const isOverrun = [requests, calls].some(({ done, admitted }) => done > admitted);
    return implies(status !== "idle" && isOverrun, stop?.outcome === "limit-overrun");
  },
  RetryFollowsFailure: ({ status, request, outcome }) =>
    implies(status !== "idle" && request === "retry-due", (outcome?.turns ?? 0) >= 1),
  EveryRoundHasATurn: ({ outcome }) =>
    outcome && implies(outcome.rounds !== 0, outcome.rounds > 0 && outcome.rounds <= outcome.turns),
  SynthesisHasAReason: ({ synthesizing, outcome }) => implies(synthesizing, outcome?.limit !== undefined),
  SynthesisHasEvidence: ({ synthesizing, outcome }) =>
    outcome && implies(synthesizing, outcome.turns >= 1 || outcome.steps >= 1),
  SynthesisNeverRaises: ({ stop }, { run }) => implies(run.synthesis?.begun && stop, !stop?.raises),
  RaisingIsAStop: ({ stop }) => implies(stop?.raises, stop?.outcome === "stopped"),
  WrappedUpMeansWarned: ({ outcome }, { run }) =>
    implies(outcome?.kind === "wrapped-up", run.wrapUpSentInRun),
  ToldOnlyOncePerRound: (_, { run }) => implies(run.wrapUpSentInRun, run.wrapUpSent),
  LimitLeavesItsMark: ({ status, question, synthesizing, outcome }, { run }) => {
    const isFelt =
      status === "asking" || status === "ending" || question || synthesizing || run.wrapUpSentInRun;
    return outcome && implies(isFelt, outcome.intervened);
  },
} satisfies Record<string, Invariant>;

export type InvariantName = keyof typeof INVARIANTS;

/** One invariant, in history after history, and how often it had something to say. */
export interface Watch {
  readonly invariant: InvariantName;
  applied: number;
}

const STATUS = { synthesis_due: "running", synthesizing: "running" } as const;

/** The governor stands where the model stands, and every invariant holds. */
export function check(world: World, { governor, host }: Subject): void {
  const { view } = governor;
  const { run, budgets, priceUnknown } = world;
  const status = run?.status ?? "idle";
  assert.equal(view.status, STATUS[status as keyof typeof STATUS] ?? status);
  assert.equal(view.synthesizing, status in STATUS || (status === "ending" && view.synthesizing));
  assert.deepEqual(view.question, run?.question ?? null);
  assert.deepEqual(view.standings, expectedStandings(world));
  assert.equal(view.unpriced, priceUnknown && budgets.cost.terms !== null);
  const reached = decisive(barring(world, false));
  assert.equal(view.exhausted, reached !== undefined && endsRun(reached));
  assert.equal(view.timeLeft, timeLeft(world));
  assert.equal(view.wrapUpSent, world.wrapUpSent);
  checkTotals(view, world);
  if (run) checkRun(view, run, world);
  // The state takes its time.
  if (host.isMirrored) checkState(governor.state, view, world);
  if (host.watch) watch(host.watch, view, governor.state, world);
}

function checkState(state: GovernorState, view: GovernorView, world: World): void {
  const { wrapUpRequested, declined } = world;
  assert.equal(state.run.wrapUpRequested, wrapUpRequested);
  assert.equal(state.declined, declined);
  const told = new Map(state.told.shares);
  for (const { name, terms, toldShare } of Object.values(world.budgets))
    if (terms && terms.max !== "unlimited")
      assert.equal((told.get(name) ?? 0).toFixed(9), toldShare.toFixed(9), `told of ${name}`);
  for (const [name, holds] of Object.entries<Invariant>(INVARIANTS))
    assert.notEqual(holds(view, state, world), false, name);
}

function watch(watch: Watch, view: GovernorView, state: GovernorState, world: World): void {
  const verdict = (INVARIANTS[watch.invariant] as Invariant)(view, state, world);
  assert.notEqual(verdict, false, watch.invariant);
  if (verdict) watch.applied += 1;
}

function expectedStandings({ budgets, priceUnknown }: World) {
  const others = NAMES.filter((name) => name !== "turns").map((name) => budgets[name]);
  return [budgets.turns, ...others]
    .flatMap(standingsOf)
    .map((standing) =>
      standing.limit === "cost" && priceUnknown ? { ...standing, unpriced: true } : standing,
    );
}

function checkTotals({ totals }: GovernorView, world: World): void {
  const { dimes, reads, writes, reports: _, priced: __, ...same } = world.totals;
  const { requests: ___, ...known } = totals;
  const { read = 0, write = 0 } = totals.calls;
  const calls = { read: reads, write: writes };
  assert.deepEqual({ ...known, calls: { read, write } }, { ...same, cacheWrite: 0, cost: dimes / 10, calls });
}

function checkRun(view: GovernorView, run: Run, { retryDue, budgets }: World): void {
  const { rounds, intervened, waiting, totals, inFlight, mishap, status } = run;
  const { turns, steps } = totals;
  const { outcome } = view;
  assert.deepEqual([outcome?.turns, outcome?.rounds, outcome?.steps], [turns, rounds, steps]);
  assert.equal(outcome?.intervened, intervened);
  assert.equal(view.waiting, waiting);
  if (status === "ending") return;
  const rested = turns === 0 ? "none" : "answered";
  const request = inFlight ? "in-flight" : retryDue ? "retry-due" : mishap === "absent" ? rested : mishap;
  assert.equal(view.request, request);
  const isLimited = budgets.tokens.terms !== null || budgets.cost.terms !== null;
  assert.equal(view.unreported, request === "answered" && totals.reports === 0 && isLimited);
}

/** The round of turns. */
function turnsOf({ budgets, readings, meter: { reading } }: GovernorState) {
  const { since = 0, granted = null } = budgets.find(({ name }) => name === "turns") ?? {};
  const began = readings[since] ?? reading;
  const completed = reading.completed - began.completed - (reading.discarded - began.discarded);
  return { granted, completed, isWithinStarted: completed <= reading.turns - began.turns };
}

function bounded({ steps, turns, tokens, cost, time, tools, repeats }: GovernorView["settings"]) {
  return [steps, turns, tokens, cost, time, repeats, ...Object.values(tools)];
}
