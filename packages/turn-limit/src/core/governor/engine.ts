import { isPlainObject, oneOf } from "../checks.ts";
import { InvalidLimit } from "../errors/invalid-limit.ts";
import { amountMax, type Max, wholeMax } from "../limits/boundary.ts";
import { isWhole } from "../limits/limit.ts";
import { endsRun } from "../limits/policy.ts";
import { Difference, type Reading, type Totals } from "../meter/meter.ts";
import type { Usage } from "../meter/usage.ts";
import { Budgets } from "./budgets.ts";
import { Calls } from "./calls.ts";
import { consequenceOf } from "./decide.ts";
import { requireReply, type Yes } from "./decision.ts";
import type { Outcome } from "./outcome.ts";
import { RunMachine } from "./run-machine.ts";
import type { RequestKind } from "./run-state.ts";
import { type GovernorSettings, requireSettings } from "./settings.ts";
import type { Observed } from "./shared-budget.ts";
import { type GovernorState, requireSealed, restoredSettings, sealed } from "./state.ts";
import type { WordsFailed } from "./telling.ts";
import { grant, Turns } from "./turns.ts";
import { GovernorView, handedOut } from "./view.ts";

/** What a governor is created from. */
export type GovernorOptions = GovernorSettings & {
  /** Goes on from the `state` of an earlier governor. Its limits and counters win over the options. */
  readonly state?: GovernorState | undefined;
};

const requireSpending = oneOf("compaction", "nested");

/**
 * What a governor is made of: the budgets, the run, and what decides about its turns and its calls. What the events mean
 * is said at the `Governor`, which checks their arguments; settings, replies and a saved state are checked here.
 */
export class Engine {
  readonly run: RunMachine;
  readonly turns: Turns;
  readonly calls: Calls;
  /** The facts about the run, for our own code. */
  readonly facts: GovernorView;
  #view: GovernorView | undefined;
  readonly #budgets: Budgets;

  constructor(options: GovernorOptions) {
    if (!isPlainObject(options)) throw new InvalidLimit("settings", options, "an object with limits");
    const { state: saved, ...given } = options;
    const state = saved === undefined ? undefined : requireSealed(saved);
    const settings = requireSettings(given);
    this.#budgets = new Budgets(state ? restoredSettings(settings, state) : settings, state);
    this.run = new RunMachine(this.#budgets, state?.run);
    this.turns = new Turns(this.#budgets, this.run);
    this.calls = new Calls(this.#budgets, this.run);
    this.facts = new GovernorView(this.#budgets, this.run);
  }

  /** Is told where what the model reads of what it has left cannot be worded: it reads the usual words then, and that is no error. */
  set wordsFailed(failed: WordsFailed) {
    this.#budgets.wordsFailed = failed;
  }

  /** The facts, as they are handed out. Made when they are first asked for: most runs of an adapter never are. */
  get view(): GovernorView {
    this.#view ??= handedOut(new GovernorView(this.#budgets, this.run));
    return this.#view;
  }

  get state(): GovernorState {
    return sealed({ ...this.#budgets.toState(), run: this.run.toState() });
  }

  configure(settings: GovernorSettings): void {
    const { canAsk } = this.#budgets.settings;
    const { changed, restarted } = this.#budgets.change(requireSettings(settings));
    if (restarted.includes(this.#budgets.lists.turns)) this.run.newRound();
    if (changed || canAsk !== this.#budgets.settings.canAsk) this.turns.reconsider();
  }

  prompt(): void {
    this.run.open();
    this.reset(this.#budgets.opened);
  }

  /** Starts the counters over. `now`: the reading of the meter. */
  reset(now?: Reading): void {
    this.#budgets.startOver(now);
    this.run.newRound();
    this.run.release();
  }

  allow(limit: string, reply: Yes): void {
    const budget = this.#budgets.lists.get(limit);
    if (!budget) throw new InvalidLimit("limit", limit, "one that this governor has");
    const said = requireReply(reply, isWhole(budget.limit));
    if (said === false || said === "wrap-up" || said === "unanswered")
      throw new InvalidLimit("reply", reply, 'true, { more: … } or "unlimited"');
    this.#budgets.restart([budget]);
    grant(budget, said);
    if (budget === this.#budgets.lists.turns) this.run.newRound();
    this.turns.reconsider();
  }

  /** A person allows this much more in the round that is under way, without being asked. Of repeats it is a new round. */
  extend(limit: string, by: Max): void {
    const budget = this.#budgets.lists.get(limit);
    if (!budget) throw new InvalidLimit("limit", limit, "one that this governor has");
    (isWhole(budget.limit) ? wholeMax(1) : amountMax)(by, "by");
    this.#budgets.extend(budget, by);
    this.turns.reconsider();
  }

  spend(activity: "compaction" | "nested", usage: Usage): void {
    requireSpending(activity, "activity");
    this.#budgets.meter.answer(activity, usage);
  }

  timeIs(now: number): void {
    const { status, activity } = this.run.state;
    const current = status === "idle" ? undefined : this.run.waitsForPerson ? "waiting" : activity;
    this.#budgets.meter.timeIs(now, current);
  }

  settled(byHostLimit: boolean): Outcome | undefined {
    const { outcome } = this.facts;
    this.run.close();
    const seemsFinished = outcome?.kind === "completed" || outcome?.kind === "wrapped-up";
    return byHostLimit && seemsFinished ? { ...outcome, kind: "stopped" } : outcome;
  }

  /** Is there a limit that may be extended while the run gets somewhere? */
  get mayExtend(): boolean {
    return this.#budgets.lists.mayExtend;
  }

  /** Does a limit need to be told the time, or which tool is called? */
  needs(part: "time" | "calls"): boolean {
    return (
      this.#budgets.lists.need(part) || (part === "calls" && this.#budgets.settings.finalTool !== undefined)
    );
  }

  /** Does a limit need to be told the time? Asked at every event, so first of what does not change. */
  get needsTime(): boolean {
    return this.#budgets.lists.mayNeedTime && this.needs("time");
  }

  /** Does a limit need the time, and was it never told? */
  get lacksTime(): boolean {
    return this.needsTime && !this.#budgets.meter.knowsTime;
  }

  /** What the meter says now. */
  get reading(): Reading {
    return this.#budgets.meter.read();
  }

  /** What the run took. A cost of which a part is not known is none. */
  get took(): Totals {
    const { opened, meter } = this.#budgets;
    const took = new Difference(opened, meter.current).toJSON();
    return meter.current.unpriced > opened.unpriced ? { ...took, cost: 0 } : took;
  }

  /** What is known of a shared limit. `since`: the reading up to which this run's own usage is in it. */
  observe(limit: string, observed: Observed, since: Reading): void {
    this.#budgets.observe(limit, observed, since);
  }

  /** Opens a gate, or closes it and says why. What a person is being asked may no longer be the question. */
  setGate(gate: string, why: string | undefined): void {
    const closed = { used: 0, max: 0, admits: why === undefined, ...(why !== undefined && { why }) };
    this.#budgets.observe(gate, closed, this.reading);
    this.turns.reconsider();
  }

  /** Is another limit at its boundary, or the run at its end, so that such a request needs nothing of shared budgets yet? */
  isHeld(kind: RequestKind): boolean {
    return this.run.isEnding || this.#budgets.reached(kind, "own") !== undefined;
  }

  /** Would such a request end the run without a question, as far as the run's own limits say? */
  isExhausted(kind: RequestKind): boolean {
    const reached = this.#budgets.reached(kind, "own");
    return reached !== undefined && endsRun(reached.action);
  }

  /**
   * Would such a request end the run as things stand, without a question and without a last answer? `afterPrompt`: a
   * person prompts first, so that the run's own budgets start over.
   */
  isStoppedBefore(kind: RequestKind, afterPrompt: boolean): boolean {
    if (this.run.state.stop) return true;
    const reached = this.#budgets.reached(kind, afterPrompt ? "shared" : "all");
    const hasEvidence = this.run.state.status !== "idle" && this.#budgets.hasEvidence;
    return reached !== undefined && consequenceOf(reached.action, hasEvidence) === "end";
  }

  /** Would the last answer be due if nobody replied to the open question? */
  get endsInAnswerAlone(): boolean {
    const { hasEvidence, decideAlone } = this.#budgets;
    return hasEvidence && this.#budgets.reached("turn", "all", decideAlone)?.action === "synthesize";
  }
}
