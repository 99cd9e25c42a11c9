import { InvalidLimit } from "../errors/invalid-limit.ts";
import { type Boundary, isOwn } from "../limits/boundary.ts";
import type { KindName } from "../limits/kinds.ts";
import { type CheckedLimit, isGroup, type SingleLimit, singlesOf } from "../limits/limit.ts";
import type { Decide } from "../limits/policy.ts";
import type { StepCall } from "../limits/repeated-calls.ts";
import type { Activity, Measure } from "../measures/measures.ts";
import { Meter, type Reading, savedReading } from "../meter/meter.ts";
import { Audit } from "./audit.ts";
import { Budget, type BudgetState } from "./budget.ts";
import { actionAt, decisive, type Reached } from "./decide.ts";
import { RepeatBudget } from "./repeat-budget.ts";
import { type CompleteSettings, KIND_NAMES, limitsOf } from "./settings.ts";
import type { Observed, SharedBudget } from "./shared-budget.ts";
import type { GovernorState } from "./state.ts";

/** The settings in use: what was counted, how much of it each limit admits, and what is done at a boundary. */
export class Budgets {
  settings: CompleteSettings;
  readonly meter: Meter;
  /** The second count, which starts over with the limits. */
  readonly audit: Audit;
  /** Has a person said no since the last prompt? */
  declined: boolean;
  /** The readings at the last prompt, and when the run began. */
  prompted: Reading;
  opened: Reading;
  /** How often a budget started over: what was admitted before that is not taken back. */
  restarts: number;
  #all: Budget[] = [];
  #own: Budget[] = [];
  #shared: SharedBudget[] = [];
  #singles: SingleLimit[] = [];
  #custom: SingleLimit[] = [];
  #needed = { time: false, calls: false };
  #withReserve: Budget[] = [];
  #timed: Budget[] = [];
  /** The turn limit, which there always is. */
  turns!: Budget;
  steps: Budget | undefined;
  repeats: RepeatBudget | undefined;

  constructor(settings: CompleteSettings, state?: GovernorState) {
    this.settings = settings;
    this.meter = new Meter(state?.meter);
    this.audit = new Audit(state?.audit);
    this.declined = state?.declined ?? false;
    this.restarts = state?.restarts ?? 0;
    const now = this.meter.read();
    const readings = state?.readings.map(savedReading) ?? [];
    this.prompted = readings[0] ?? now;
    this.opened = readings[state?.openedAt ?? 0] ?? now;
    const saved = new Map(state?.budgets.map((budget) => [budget.name, budget]));
    this.#set(
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

  get(name: string): Budget | undefined {
    return this.#all.find((budget) => budget.name === name);
  }

  /** Does a limit measure this, by itself or in a group? */
  measure(measure: Measure): boolean {
    return this.#singles.some((single) => single.measure === measure);
  }

  /** Does a limit need to be told the time, or which tool is called? */
  need(part: "time" | "calls"): boolean {
    if (this.#needed[part]) return true;
    // What a limit of one's own reads may change from turn to turn.
    for (const { needs } of this.#custom) if (needs?.(part)) return true;
    return false;
  }

  /** Would a model without a price end the run? */
  get stopUnpriced(): boolean {
    const maxima = this.#all.map((budget) => budget.unpricedBoundary(this.#hasTokenLimit)?.max);
    return maxima.some((max) => max !== undefined && max !== "unlimited");
  }

  /** What is done at the boundary of a limit with this policy, and the same as if nobody could be asked. */
  readonly decide: Decide = (policy) => actionAt(policy, this.settings.canAsk, this.declined);
  readonly decideAlone: Decide = (policy) => actionAt(policy, false, false);

  /**
   * The budget that does not cover the next request: of several the strictest, and among equals the first. `among`: all
   * of them, the run's own, or those that others draw from, too.
   */
  reached(
    activity: Activity,
    among: "all" | "own" | "shared" = "all",
    decide = this.decide,
  ): Reached | undefined {
    const { isUnpriced } = this;
    let reached: Reached | undefined;
    for (const budget of among === "all" ? this.#all : among === "own" ? this.#own : this.#shared) {
      const unpriced = isUnpriced ? budget.unpricedBoundary(this.#hasTokenLimit) : undefined;
      const boundary = unpriced ?? budget.turnBoundary(activity, decide);
      if (!boundary) continue;
      const action = unpriced ? "stop" : decide(budget.limit);
      if (action !== "refuse") reached = decisive(reached, { budget, boundary, action });
    }
    return reached;
  }

  /** The budget that does not cover the call, chosen in the same way. */
  reachedByCall(call: StepCall): Reached | undefined {
    let reached: Reached | undefined;
    for (const budget of this.#all) {
      const uncovered = budget.uncovered(call);
      if (!uncovered) continue;
      const action = uncovered.isWarning ? "refuse" : this.decide(budget.limit);
      reached = decisive(reached, { budget, action, ...uncovered });
    }
    return reached;
  }

  /** The first time limit of which nothing is left. */
  reachedByTime(decide = this.decide): Reached | undefined {
    const budget = this.#timed.find(({ isUsedUp }) => isUsedUp);
    return budget && { budget, boundary: budget.standings[0] as Boundary, action: decide(budget.limit) };
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
    return this.meter.current.turns - this.turns.since.turns;
  }

  /** Turns of this round whose answer arrived and was not thrown away. */
  get turnsCompleted(): number {
    const { current } = this.meter;
    const { since } = this.turns;
    return current.completed - since.completed - (current.discarded - since.discarded);
  }

  /** Is so little left of a budget that the model has to wrap up? */
  get isShort(): boolean {
    for (const { isShort, limit } of this.#withReserve)
      if (isShort && this.decide(limit) !== "synthesize") return true;
    return false;
  }

  /** Starts a new round of each budget that asks and is used up. */
  restartUsedUp(newTurnIsHeld: boolean): void {
    // The turn under way, or made again, may be the last that is covered.
    const others = newTurnIsHeld ? this.#all : this.#all.filter((budget) => budget !== this.turns);
    this.restart(others.filter((budget) => budget.limit.onExhausted === "ask" && budget.isUsedUp));
  }

  /** Starts a new round of these budgets. */
  restart(budgets: readonly Budget[], now = this.meter.read()): void {
    for (const budget of budgets) budget.restart(now);
    budgets.forEach(this.#restarted, this);
  }

  /** Starts everything over. A no is taken back. */
  startOver(now?: Reading): void {
    this.restart(this.#all, now);
    this.audit.restart("calls");
    this.prompted = this.turns.since;
    this.declined = false;
  }

  /** Changes the settings. Says whether any limit is different, and which of them start over. */
  change(settings: CompleteSettings): { changed: boolean; restarted: Budget[] } {
    const limits = limitsOf(settings);
    const now = this.meter.read();
    const before = new Map(this.#all.map((budget) => [budget.name, budget]));
    // If a limit cannot tell its usage, this throws, and none of them is changed.
    const after = limits.map((limit) => {
      const known = before.get(limit.name);
      before.delete(limit.name);
      return { budget: known ?? this.#create(limit, now), change: known?.change(limit, now) };
    });
    for (const { change } of after) change?.apply();
    this.#set(after.map(({ budget }) => budget));
    this.settings = settings;
    const kindOf = ({ change }: (typeof after)[number]) => change?.kind ?? "restarted";
    const restarted = after.filter((one) => kindOf(one) === "restarted").map(({ budget }) => budget);
    restarted.forEach(this.#restarted, this);
    const changed = before.size > 0 || after.some((one) => kindOf(one) !== "none");
    if (changed) this.declined = false;
    return { changed, restarted };
  }

  /** What is known of a shared budget. */
  observe(name: string, observed: Observed, since: Reading): void {
    this.#shared.find((budget) => budget.name === name)?.observe(observed, since);
  }

  /** A turn or call begins: what it was granted of shared budgets is used. */
  begun(): void {
    for (const budget of this.#shared) budget.begun();
  }

  /** The time limit of which the least is left, and how much that is in milliseconds. */
  get shortestTime(): { budget: Budget; left: number } | undefined {
    let shortest: { budget: Budget; left: number } | undefined;
    for (const budget of this.#timed) {
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
    for (const budget of this.#timed) if (!usedUpOnly || budget.isUsedUp) budget.startOver(now);
  }

  /** Each limit with its usage, the turns first. */
  get standings(): Boundary[] {
    const { isUnpriced, turns } = this;
    const all = [turns, ...this.#all.filter((budget) => budget !== turns)].flatMap((one) => one.standings);
    if (!isUnpriced) return all;
    return all.map((one) => (isOwn(one.identity, "cost") ? { ...one, unpriced: true } : one));
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
      budgets: this.#own.map((budget) => budget.toState(placeOf(budget.since))),
      readings,
      audit: this.audit.toState(),
      declined: this.declined,
      restarts: this.restarts,
    };
  }

  #create(limit: CheckedLimit, since: Reading, state?: BudgetState): Budget {
    if ("budget" in limit && limit.budget) return limit.budget(limit, this.meter, since) as Budget;
    if (!isGroup(limit) && limit.identity.kind === "repeats")
      return new RepeatBudget(limit, this.meter, since, state);
    return new Budget(limit, this.meter, since, state);
  }

  #set(budgets: Budget[]): void {
    this.#all = budgets;
    this.#singles = budgets.flatMap(({ limit }) => singlesOf(limit));
    this.#custom = this.#singles.filter(({ needs }) => needs);
    this.#needed = { time: this.measure("time"), calls: this.measure("calls") };
    this.#timed = budgets.filter(({ limit }) => "measure" in limit && limit.measure === "time");
    this.#shared = budgets.filter(({ limit }) => "budget" in limit && limit.budget) as SharedBudget[];
    this.#own = budgets.filter((budget) => !this.#shared.includes(budget as SharedBudget));
    this.turns = this.#ofKind("turns") as Budget;
    this.steps = this.#ofKind("steps");
    this.repeats = this.#ofKind("repeats") as RepeatBudget | undefined;
    this.#withReserve = budgets.filter(({ limit }) => "reserve" in limit && limit.reserve);
  }

  // The run's own budget of a kind.
  #ofKind(kind: KindName): Budget | undefined {
    return this.#own.find(({ limit }) => !isGroup(limit) && isOwn(limit.identity, kind));
  }

  #restarted(budget: Budget): void {
    this.restarts += 1;
    if (budget === this.turns) this.audit.restart("requests");
    if (budget === this.steps) this.audit.restart("calls");
  }

  // Is there a token limit, of the run or of a pool, that holds it?
  get #hasTokenLimit(): boolean {
    return this.#all.some(({ limitsTokens }) => limitsTokens);
  }
}
