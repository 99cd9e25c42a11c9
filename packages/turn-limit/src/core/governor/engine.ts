import { isPlainObject } from "../checks.ts";
import { InvalidLimit } from "../errors/invalid-limit.ts";
import { isWhole } from "../limits/limit.ts";
import { endsRun } from "../limits/policy.ts";
import type { StepCall } from "../limits/repeated-calls.ts";
import type { Activity } from "../measures/measures.ts";
import type { Reading } from "../meter/meter.ts";
import type { Usage } from "../meter/usage.ts";
import { Budgets } from "./budgets.ts";
import { Calls } from "./calls.ts";
import {
  type Ask,
  type OverdueDecision,
  type Reply,
  requireReply,
  type StepDecision,
  type Stop,
  type TurnDecision,
  type Yes,
} from "./decision.ts";
import type { Outcome } from "./outcome.ts";
import type { RequestKind, TurnEnd, TurnStart } from "./run.ts";
import { RunMachine } from "./run-machine.ts";
import { type GovernorSettings, requireSettings } from "./settings.ts";
import type { Observed } from "./shared-budget.ts";
import { type GovernorState, requireSealed, restoredSettings, sealed } from "./state.ts";
import { grant, Turns } from "./turns.ts";
import { GovernorView } from "./view.ts";

/** What a governor is created from. */
export type GovernorOptions = GovernorSettings & {
  /** Goes on from the `state` of an earlier governor. Its limits and counters win over the options. */
  readonly state?: GovernorState | undefined;
};

/**
 * Holds a run to its limits: events in, decisions out. It has no clock and never calls the host. What the events mean is
 * said at the `Governor`, which checks their arguments; settings, replies and a saved state are checked here.
 */
export class Engine {
  readonly #budgets: Budgets;
  readonly #run: RunMachine;
  readonly #turns: Turns;
  readonly #calls: Calls;
  readonly view: GovernorView;

  constructor(options: GovernorOptions) {
    if (!isPlainObject(options)) throw new InvalidLimit("settings", options, "an object with limits");
    const { state: saved, ...given } = options;
    const state = saved === undefined ? undefined : requireSealed(saved);
    const settings = requireSettings(given);
    const budgets = new Budgets(state ? restoredSettings(settings, state) : settings, state);
    const run = new RunMachine(budgets, state?.run);
    this.#budgets = budgets;
    this.#run = run;
    this.#turns = new Turns(budgets, run);
    this.#calls = new Calls(budgets, run);
    this.view = new GovernorView(budgets, run);
  }

  get state(): GovernorState {
    return sealed({ ...this.#budgets.toState(), run: this.#run.state });
  }

  configure(settings: GovernorSettings): void {
    const { canAsk } = this.#budgets.settings;
    const { changed, restarted } = this.#budgets.change(requireSettings(settings));
    if (restarted.includes(this.#budgets.turns)) this.#run.newRound();
    if (changed || canAsk !== this.#budgets.settings.canAsk) this.#turns.reconsider();
  }

  prompt(): void {
    this.#open();
    this.#startOver(this.#budgets.opened);
  }

  reset(): void {
    this.#startOver();
  }

  beforeTurn({ priced, as }: TurnStart = {}): TurnDecision {
    if (priced === false) this.#budgets.meter.priceUnknown();
    if (this.#run.state.status === "idle") this.#open();
    return this.#turns.before(as ?? this.#run.nextKind);
  }

  answer(reply: Reply | undefined, ask?: Ask, turn?: Pick<TurnStart, "as">): TurnDecision {
    return this.#turns.answer(reply, ask, turn?.as);
  }

  allow(limit: string, reply: Yes): void {
    const budget = this.#budgets.get(limit);
    if (!budget) throw new InvalidLimit("limit", limit, "one that this governor has");
    const said = requireReply(reply, isWhole(budget.limit));
    if (said === false || said === "wrap-up" || said === "unanswered")
      throw new InvalidLimit("reply", reply, 'true, { more: … } or "unlimited"');
    this.#budgets.restart([budget]);
    grant(budget, said);
    if (budget === this.#budgets.turns) this.#run.newRound();
    this.#turns.reconsider();
  }

  beforeStep(call: StepCall): StepDecision {
    if (this.#run.state.status === "idle") this.#open();
    return this.#calls.before(call);
  }

  stepDenied({ id }: { id: string }): void {
    this.#calls.denied(id);
  }

  stepEnded({ id, result }: { id?: string | undefined; result: unknown }): void {
    this.#calls.ended(id, result);
  }

  turnEnded(end: TurnEnd, usage = end.usage): void {
    this.#run.requests.ended(end, usage);
  }

  turnAbandoned({ admission }: { admission: number }): void {
    // What a person is being asked about may be left again.
    if (this.#run.requests.abandoned(admission)) this.#turns.reconsider();
  }

  turnDiscarded(): void {
    this.#run.requests.discarded();
  }

  spend(activity: "compaction" | "nested", usage: Usage): void {
    if (this.#run.state.status !== "idle") this.#budgets.meter.answer(activity, usage);
  }

  timeIs(now: number): void {
    const { status, activity } = this.#run.state;
    const current = status === "idle" ? undefined : this.#run.waitsForPerson ? "waiting" : activity;
    this.#budgets.meter.timeIs(now, current);
  }

  waiting(waiting: boolean): void {
    this.#run.waiting = waiting;
  }

  overdue(canGoOn: boolean): OverdueDecision | undefined {
    return this.#turns.overdue(canGoOn);
  }

  requestSent(admission?: number): Stop | undefined {
    this.#run.requests.sent(admission);
    return this.#overrun("requests", "turns");
  }

  stepExecuted(): Stop | undefined {
    return this.#overrun("calls", "steps");
  }

  takeWrapUp(): string | undefined {
    const { status, synthesis } = this.#run.state;
    const goesOn = status === "running" && !synthesis && !this.#budgets.reached(this.#run.nextKind);
    return goesOn ? this.#run.takeWrapUp() : undefined;
  }

  requestWrapUp(): boolean {
    return this.#run.requestWrapUp();
  }

  settled(byHostLimit: boolean): Outcome | undefined {
    const { outcome } = this.view;
    this.#calls.forget();
    if (outcome) this.#run.close();
    const seemsFinished = outcome?.kind === "completed" || outcome?.kind === "wrapped-up";
    return byHostLimit && seemsFinished ? { ...outcome, kind: "stopped" } : outcome;
  }

  /** What the meter says now. */
  get reading(): Reading {
    return this.#budgets.meter.read();
  }

  /** What the last request was made for. */
  get activity(): Activity {
    return this.#run.state.activity;
  }

  /** The number under which the last request was admitted. */
  get admission(): number {
    return this.#run.state.admissions;
  }

  /** Would the last answer be due if nobody replied to the open question? */
  get endsInAnswerAlone(): boolean {
    const { hasEvidence, decideAlone } = this.#budgets;
    return hasEvidence && this.#budgets.reached("turn", "all", decideAlone)?.action === "synthesize";
  }

  /** Is it at its end? */
  get isEnding(): boolean {
    const { stop, synthesis } = this.#run.state;
    return stop !== null || synthesis !== null;
  }

  /** Does the run wait for a person for another reason than a limit? */
  get isWaiting(): boolean {
    return this.#run.state.waiting;
  }

  /** Was the time ever told? */
  get knowsTime(): boolean {
    return this.#budgets.meter.knowsTime;
  }

  /** Does a limit need to be told the time, or which tool is called? */
  needs(part: "time" | "calls"): boolean {
    return this.#budgets.need(part);
  }

  /** Is another limit at its boundary, or the run at its end, so that such a request needs nothing of shared budgets yet? */
  isHeld(kind: RequestKind): boolean {
    return this.isEnding || this.#budgets.reached(kind, "own") !== undefined;
  }

  /** Would such a request end the run without a question, as far as the run's own limits say? */
  isExhausted(kind: RequestKind): boolean {
    const reached = this.#budgets.reached(kind, "own");
    return reached !== undefined && endsRun(reached.action);
  }

  /** What is known of a shared limit. `since`: the reading up to which this run's own usage is in it. */
  observe(limit: string, observed: Observed, since: Reading): void {
    this.#budgets.observe(limit, observed, since);
  }

  #open(): void {
    this.#run.open();
    this.#calls.forget();
  }

  #startOver(now?: Reading): void {
    this.#budgets.startOver(now);
    this.#run.newRound();
    this.#run.release();
  }

  #overrun(what: "requests" | "calls", limit: "turns" | "steps"): Stop | undefined {
    const { audit } = this.#budgets;
    if (this.#run.state.status === "idle" || !audit.isOneTooMany(what)) return undefined;
    const max = this.#budgets.ofKind(limit)?.max ?? "unlimited";
    return this.#run.end({ limit, identity: { kind: limit }, used: audit.countOf(what), max }, "overrun");
  }
}
