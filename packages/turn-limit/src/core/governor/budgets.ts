import { InvalidLimit } from "../errors/invalid-limit.ts";
import { type Boundary, isOwn, type Max } from "../limits/boundary.ts";
import { type CheckedLimit, isGroup } from "../limits/limit.ts";
import { type Action, actionAlone, type Decide, holdsRun, type Policy } from "../limits/policy.ts";
import type { StepCall } from "../limits/repeated-calls.ts";
import type { Activity } from "../measures/measures.ts";
import { Meter, type Reading, savedReading } from "../meter/meter.ts";
import { Audit } from "./audit.ts";
import { Budget, type BudgetState } from "./budget.ts";
import { BudgetLists } from "./budget-lists.ts";
import { actionAt, decisive, type Reached } from "./decide.ts";
import { RepeatBudget } from "./repeat-budget.ts";
import { type CompleteSettings, KIND_NAMES, limitsOf } from "./settings.ts";
import type { Observed } from "./shared-budget.ts";
import type { GovernorState } from "./state.ts";
import { Telling, type Told, type ToldShares, type WordsFailed } from "./telling.ts";

/** The settings in use: what was counted, how much of it each limit admits, and what is done at a boundary. */
export class Budgets {
  settings: CompleteSettings;
  readonly meter: Meter;
  /** The second count, which starts over with the limits. */
  readonly audit: Audit;
  readonly #telling: Telling;
  /** With it, words that cannot be made are the usual ones instead. */
  wordsFailed: WordsFailed | undefined;
  /** Has a person said no since the last prompt? */
  declined: boolean;
  /** The readings at the last prompt, and when the run began. */
  prompted: Reading;
  opened: Reading;
  /** How often a budget started over: what was admitted before that is not taken back. */
  restarts: number;
  /** The budgets, and which of them are looked at when. */
  lists: BudgetLists;

  constructor(settings: CompleteSettings, state?: GovernorState) {
    this.settings = settings;
    this.meter = new Meter(state?.meter);
    this.audit = new Audit(state?.audit);
    this.#telling = new Telling(state?.told);
    this.declined = state?.declined ?? false;
    this.restarts = state?.restarts ?? 0;
    const now = this.meter.read();
    const readings = state?.readings.map(savedReading) ?? [];
    this.prompted = readings[0] ?? now;
    this.opened = readings[state?.openedAt ?? 0] ?? now;
    const saved = new Map(state?.budgets.map((budget) => [budget.name, budget]));
    this.lists = new BudgetLists(
      limitsOf(settings).map((limit) => {
        const known = saved.get(limit.name);
        // What a pool has left is in its store.
        if (state && !known && !("budget" in limit && limit.budget))
          throw new InvalidLimit("limits", limit.name, "one that the saved state knows");
        saved.delete(limit.name);
        return this.#create(limit, known ? (readings[known.since] as Reading) : now, known);
      }),
    );
    for (const name of saved.keys())
      throw new InvalidLimit("limits", name, "given again: the saved state knows it");
  }

  /** What is done at the boundary of a budget: first of all it is extended, unless a person said no. */
  actionOf(budget: Budget, decide = this.decide): Action {
    return budget.mayExtend && !this.declined ? "extend" : decide(budget.limit);
  }

  /** What the policy of a limit says at its boundary, and the same where nobody replied. */
  readonly decide: Decide = (policy) => actionAt(policy, this.settings.canAsk, this.declined);
  readonly decideAlone: Decide = actionAlone;

  /**
   * The budget that does not cover the next request: of several the strictest, and among equals the first. `among`: all
   * of them, the run's own, or those that others draw from, too.
   */
  reached(
    activity: Activity,
    among: "all" | "own" | "shared" = "all",
    decide = this.decide,
  ): Reached | undefined {
    const { isUnpriced, lists } = this;
    let reached: Reached | undefined;
    for (const budget of among === "all" ? lists.all : among === "own" ? lists.own : lists.shared) {
      const unpriced = isUnpriced ? budget.unpricedBoundary(lists.hold("tokens")) : undefined;
      const boundary = unpriced ?? budget.turnBoundary(activity, decide);
      if (!boundary) continue;
      const action = unpriced ? "stop" : this.actionOf(budget, decide);
      if (action !== "refuse") reached = decisive(reached, { budget, boundary, action });
    }
    return reached;
  }

  /** The budget that does not cover the call, chosen in the same way. */
  reachedByCall(call: StepCall): Reached | undefined {
    let reached: Reached | undefined;
    for (const budget of this.lists.beforeCalls) {
      const uncovered = budget.uncovered(call);
      if (!uncovered) continue;
      const action = uncovered.warning ? "refuse" : this.decide(budget.limit);
      reached = decisive(reached, { budget, action, ...uncovered });
    }
    return reached;
  }

  /** The first time limit of which nothing is left. */
  reachedByTime(decide = this.decide): Reached | undefined {
    const budget = this.lists.timed.find(({ isUsedUp }) => isUsedUp);
    return (
      budget && { budget, boundary: budget.standings[0] as Boundary, action: this.actionOf(budget, decide) }
    );
  }

  /** A budget that does not cover the request, and that no yes starts over: it may still be extended. */
  stillExtendable(activity: Activity): Reached | undefined {
    for (const budget of this.lists.own) {
      if (budget.limit.onExhausted === "ask" || this.actionOf(budget) !== "extend") continue;
      const boundary = budget.turnBoundary(activity, this.decide);
      if (boundary) return { budget, boundary, action: "extend" };
    }
    return undefined;
  }

  /** Was something spent since the prompt whose price is not known? */
  get isUnpriced(): boolean {
    return this.meter.current.unpriced > this.prompted.unpriced;
  }

  /** Did the run take a turn, or run a call? Otherwise there is nothing to make an answer from. */
  get hasEvidence(): boolean {
    return this.turnsOfRun > 0 || this.meter.current.steps > this.opened.steps;
  }

  /** Turns begun in this run, and in this round. */
  get turnsOfRun(): number {
    return this.meter.current.turns - this.opened.turns;
  }
  get turnsUsed(): number {
    return this.meter.current.turns - this.lists.turns.since.turns;
  }

  /** Turns of this round whose answer arrived and was not thrown away. */
  get turnsCompleted(): number {
    const { current } = this.meter;
    const { since } = this.lists.turns;
    return current.completed - since.completed - (current.discarded - since.discarded);
  }

  /** Is so little left of a budget that the model has to wrap up? */
  get isShort(): boolean {
    for (const { isShort, limit } of this.lists.withReserve)
      if (isShort && this.decide(limit) !== "synthesize") return true;
    return false;
  }

  /** What the model has to be told in the request that has begun of what it has left. It counts as told. */
  takeTold(): Told | undefined {
    const mayExtend = (budget: Budget) => this.actionOf(budget) === "extend";
    const { settings, decide, isUnpriced, wordsFailed } = this;
    return this.#telling.take(this.lists.all, settings, decide, mayExtend, isUnpriced, wordsFailed);
  }

  /** The model has not read it. */
  untold(told: ToldShares): void {
    this.#telling.takeBack(told);
  }

  /** Starts a new round of each budget that holds the run and is used up. */
  restartUsedUp(newTurnIsHeld: boolean): void {
    // The turn under way, or made again, may be the last that is covered.
    const { all, turns } = this.lists;
    const others = newTurnIsHeld ? all : all.filter((budget) => budget !== turns);
    this.restart(others.filter((budget) => holdsRun(budget.limit.onExhausted) && budget.isUsedUp));
  }

  /** Starts a new round of these budgets. */
  restart(budgets: readonly Budget[], now = this.meter.read()): void {
    for (const budget of budgets) budget.restart(now);
    budgets.forEach(this.#restarted, this);
  }

  /** This round of the budget got somewhere: another one begins, without a question. */
  extendRound(budget: Budget, what: string | undefined): void {
    budget.extendRound(this.meter.read(), what);
    this.#restarted(budget);
  }

  /** Starts everything over. A no is taken back. */
  startOver(now?: Reading): void {
    this.restart(this.lists.all, now);
    this.audit.restart("calls");
    this.prompted = this.lists.turns.since;
    this.declined = false;
  }

  /** Changes the settings. Says whether any limit is different, and which of them start over. */
  change(settings: CompleteSettings): { changed: boolean; restarted: Budget[] } {
    const limits = limitsOf(settings);
    const now = this.meter.read();
    const before = new Map(this.lists.every.map((budget) => [budget.name, budget]));
    // If a limit cannot tell its usage, this throws, and none of them is changed.
    const after = limits.map((limit) => {
      const known = before.get(limit.name);
      before.delete(limit.name);
      return { budget: known ?? this.#create(limit, now), change: known?.change(limit, now) };
    });
    for (const { change } of after) change?.apply();
    this.lists = new BudgetLists(after.map(({ budget }) => budget));
    this.settings = settings;
    const kindOf = ({ change }: (typeof after)[number]) => change?.kind ?? "restarted";
    const restarted = after.filter((one) => kindOf(one) === "restarted").map(({ budget }) => budget);
    for (const one of after) if (kindOf(one) === "changed") this.#telling.moreIsAdmitted(one.budget);
    restarted.forEach(this.#restarted, this);
    const changed = before.size > 0 || after.some((one) => kindOf(one) !== "none");
    if (changed) this.declined = false;
    return { changed, restarted };
  }

  /** A person allows this much more of a budget. A no is taken back. */
  extend(budget: Budget, by: Max): void {
    budget.extend(by);
    this.#telling.moreIsAdmitted(budget);
    this.declined = false;
  }

  /** What is known of a shared budget. */
  observe(name: string, observed: Observed, since: Reading): void {
    const budget = this.lists.getShared(name);
    if (!budget) return;
    const { max, isOpenGate } = budget;
    if (budget.observe(observed, since)) this.#telling.startOver(name);
    else if (budget.max !== max) this.#telling.moreIsAdmitted(budget);
    if (budget.isOpenGate !== isOpenGate) this.lists.leaveOutOpenGates();
  }

  /** A turn or call begins: what it was granted of shared budgets is used. */
  begun(): void {
    for (const budget of this.lists.shared) budget.begun();
  }

  /** The time limit of which the least is left, and how much that is in milliseconds. */
  get shortestTime(): { budget: Budget; left: number } | undefined {
    let shortest: { budget: Budget; left: number } | undefined;
    for (const budget of this.lists.timed) {
      // What is waited for holds the next turn. The one under way is not cut off.
      if (this.decide(budget.limit as Policy) === "wait") continue;
      const [{ used, max } = { used: 0, max: "unlimited" }] = budget.standings;
      // Without any time there is a boundary before every turn, and nothing to watch for in between.
      if (typeof max !== "number" || max === 0) continue;
      const left = Math.max(0, max - used);
      if (!shortest || left < shortest.left) shortest = { budget, left };
    }
    return shortest;
  }

  /** Time that is used up starts over, for an answer that a policy or a person allows all the same. */
  restartTime(usedUpOnly = false): void {
    const now = this.meter.read();
    for (const budget of this.lists.timed) {
      if (usedUpOnly && !budget.isUsedUp) continue;
      budget.startOver(now);
      this.#telling.startOver(budget.name);
    }
  }

  /** Each limit with its usage, the turns first. */
  get standings(): Boundary[] {
    const { turns, all } = this.lists;
    const standings = [turns, ...all.filter((budget) => budget !== turns)].flatMap((one) => one.standings);
    if (!this.isUnpriced) return standings;
    return standings.map((one) => (isOwn(one.identity, "cost") ? { ...one, unpriced: true } : one));
  }

  toState(): Omit<GovernorState, "version" | "checksum" | "run"> {
    const readings = [this.prompted];
    const placeOf = (reading: Reading) => {
      const known = readings.indexOf(reading);
      return known < 0 ? readings.push(reading) - 1 : known;
    };
    return {
      settings: Object.fromEntries(KIND_NAMES.map((name) => [name, this.settings[name]])),
      meter: this.meter.toState(),
      openedAt: placeOf(this.opened),
      budgets: this.lists.own.map((budget) => budget.toState(placeOf(budget.since))),
      readings,
      audit: this.audit.toState(),
      told: this.#telling.toState(),
      declined: this.declined,
      restarts: this.restarts,
    };
  }

  #create(limit: CheckedLimit, since: Reading, state?: BudgetState): Budget {
    if ("budget" in limit && limit.budget) return limit.budget(limit, this.meter, since) as Budget;
    if (!isGroup(limit) && limit.identity.kind === "repeats")
      return new RepeatBudget(limit, this.meter, since, () => this.settings.sameCall, state);
    return new Budget(limit, this.meter, since, state);
  }

  #restarted(budget: Budget): void {
    this.restarts += 1;
    this.#telling.startOver(budget.name);
    if (budget === this.lists.turns) this.audit.restart("requests");
    if (budget === this.lists.steps) this.audit.restart("calls");
  }
}
