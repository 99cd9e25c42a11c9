import { InvalidLimit } from "../errors/invalid-limit.ts";
import type { Boundary } from "../limits/boundary.ts";
import { type CheckedLimit, type SingleLimit, singlesOf } from "../limits/limit.ts";
import { type Action, type Decide, isStricter } from "../limits/policy.ts";
import type { StepCall } from "../limits/repeated-calls.ts";
import type { Activity, Measure } from "../meter/counting.ts";
import type { Meter, Reading } from "../meter/meter.ts";
import { Budget, type BudgetState } from "./budget.ts";
import { RepeatBudget } from "./repeat-budget.ts";
import { SharedBudget, type Told } from "./shared-budget.ts";

/** A budget at its boundary, and what is done about it. */
export interface Reached {
  budget: Budget;
  boundary: Boundary;
  action: Action;
  /** Is a call only refused for now, because it was made before? */
  isWarning?: boolean;
}

/** The budgets of a governor, in the order in which they are reported. */
export class Budgets {
  readonly #meter: Meter;
  #all: Budget[] = [];
  #singles: SingleLimit[] = [];
  #withReserve: Budget[] = [];
  #shared: SharedBudget[] = [];
  /** The turn limit, which there always is. */
  turns!: Budget;
  /** The time limits: the run's own, and shared ones. */
  #timed: Budget[] = [];
  /** The budget for repeated calls, if there is one. */
  repeats: RepeatBudget | undefined;

  constructor(
    meter: Meter,
    limits: readonly CheckedLimit[],
    states?: BudgetState[],
    readings: Reading[] = [],
  ) {
    this.#meter = meter;
    const saved = new Map(states?.map((state) => [state.name, state]));
    const now = meter.read();
    this.#set(
      limits.map((limit) => {
        const state = saved.get(limit.name);
        // What a pool has left is in its store.
        const isShared = "shared" in limit && limit.shared !== undefined;
        if (states && !state && !isShared)
          throw new InvalidLimit("limits", limit.name, "one that the saved state knows");
        saved.delete(limit.name);
        return this.#create(limit, state ? (readings[state.since] as Reading) : now, state);
      }),
    );
    for (const name of saved.keys())
      throw new InvalidLimit("limits", name, "given again: the saved state knows it");
  }

  get(name: string): Budget | undefined {
    return this.#all.find((budget) => budget.name === name);
  }

  /** Is a limit of this name among them, by itself or in a group? */
  has(name: string): boolean {
    return this.#singles.some((single) => single.name === name);
  }

  /** Does a limit measure this, by itself or in a group? */
  measure(measure: Measure): boolean {
    return this.#singles.some((single) => single.measure === measure);
  }

  /** Does a limit need to be told the time, or which tool is called? */
  need(part: "time" | "calls"): boolean {
    for (const { needs } of this.#singles) if (needs(part)) return true;
    return false;
  }

  /** Would a model without a price end the run? */
  get stopUnpriced(): boolean {
    return this.#all.some((budget) => {
      const boundary = this.#unpricedBoundary(budget);
      return boundary !== undefined && boundary.max !== "unlimited";
    });
  }

  /** The budget that does not cover the next turn: of several the strictest, and among equals the first. */
  beforeTurn(activity: Activity, decide: Decide, isUnpriced: boolean): Reached | undefined {
    return this.#strictest(this.#all, (budget) => budget.turnBoundary(activity, decide), decide, isUnpriced);
  }

  /** The same without budgets that are shared. */
  ownBeforeTurn(activity: Activity, decide: Decide, isUnpriced: boolean): Reached | undefined {
    const own = this.#all.filter((budget) => !(budget instanceof SharedBudget));
    return this.#strictest(own, (budget) => budget.turnBoundary(activity, decide), decide, isUnpriced);
  }

  /** The budget that does not cover the call: of several the strictest, and among equals the first. */
  beforeStep(call: StepCall, decide: Decide): Reached | undefined {
    let reached: Reached | undefined;
    for (const budget of this.#all) {
      const uncovered = budget.uncovered(call);
      if (!uncovered) continue;
      const action = uncovered.isWarning ? "refuse" : decide(budget.limit);
      if (!reached || isStricter(action, reached.action)) reached = { budget, action, ...uncovered };
    }
    return reached;
  }

  /** Is so little left of a budget that the model has to wrap up? */
  isShort(decide: Decide): boolean {
    for (const budget of this.#withReserve) {
      if (budget.isShort && decide(budget.limit) !== "synthesize") return true;
    }
    return false;
  }

  /** Starts a new round of each budget that asks and is used up. Returns their names. */
  restartUsedUp(newTurnIsHeld: boolean): string[] {
    const usedUp = this.#all.filter(
      (budget) =>
        budget.limit.onExhausted === "ask" &&
        budget.isUsedUp &&
        // The turn under way, or made again, may be the last that is covered.
        (newTurnIsHeld || budget !== this.turns),
    );
    this.restart(this.#meter.read(), usedUp);
    return usedUp.map(({ name }) => name);
  }

  restart(now: Reading, budgets = this.#all): void {
    for (const budget of budgets) budget.restart(now);
  }

  /** Changes the limits. Says whether anything is different, and which of them start over. */
  change(limits: readonly CheckedLimit[]): { changed: boolean; restarted: string[] } {
    const now = this.#meter.read();
    const before = new Map(this.#all.map((budget) => [budget.name, budget]));
    const restarted: string[] = [];
    let changed = false;
    const after = limits.map((limit) => {
      const known = before.get(limit.name);
      known?.read(limit);
      return known ?? this.#create(limit, now);
    });
    const snapshots = this.#all.map((budget) => budget.snapshot());
    try {
      limits.forEach((limit, index) => {
        const budget = after[index] as Budget;
        const change = before.delete(limit.name) ? budget.change(limit, now) : "restarted";
        if (change === "restarted") restarted.push(limit.name);
        changed ||= change !== "none";
      });
    } catch (error) {
      // A limit cannot tell its usage, so none of them is changed.
      for (const restore of snapshots) restore();
      throw error;
    }
    this.#set(after);
    return { changed: changed || before.size > 0, restarted };
  }

  /** What is known of a shared budget. */
  told(name: string, told: Told, since: Reading): void {
    this.#shared.find((budget) => budget.name === name)?.told(told, since);
  }

  /** A turn or call begins: what it was granted of shared budgets is used. */
  begun(): void {
    for (const budget of this.#shared) budget.begun();
  }

  /** The shared budget that does not cover the next turn: of several the strictest, and among equals the first. */
  sharedBeforeTurn(activity: Activity, decide: Decide): Reached | undefined {
    return this.#strictest(this.#shared, (budget) => budget.turnBoundary(activity), decide);
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

  /** The first time limit of which nothing is left. */
  get usedUpTime(): Budget | undefined {
    return this.#timed.find(({ isUsedUp }) => isUsedUp);
  }

  /** Time that is used up starts over, for an answer that a policy or a person allows all the same. */
  restartTime(usedUpOnly = false): void {
    const now = this.#meter.read();
    for (const budget of this.#timed) if (!usedUpOnly || budget.isUsedUp) budget.startOver(now);
  }

  /** Each limit with its usage, the turns first. */
  standings(isUnpriced: boolean): Boundary[] {
    const others = this.#all.filter((budget) => budget !== this.turns);
    return [this.turns, ...others]
      .flatMap(({ standings }) => standings)
      .map((standing) =>
        isUnpriced && standing.limit === "cost" ? { ...standing, unpriced: true } : standing,
      );
  }

  /** The budgets as plain data. `placeOf` says where a reading is kept. */
  toState(placeOf: (reading: Reading) => number): BudgetState[] {
    return this.#all
      .filter((budget) => !(budget instanceof SharedBudget))
      .map((budget) => budget.toState(placeOf(budget.since)));
  }

  #create(limit: CheckedLimit, since: Reading, state?: BudgetState): Budget {
    if ("shared" in limit && limit.shared) return new SharedBudget(limit, this.#meter, since);
    const Kind = limit.name === "repeats" ? RepeatBudget : Budget;
    return new Kind(limit, this.#meter, since, state);
  }

  #set(budgets: Budget[]): void {
    this.#all = budgets;
    this.#singles = budgets.flatMap(({ limit }) => singlesOf(limit));
    this.turns = this.get("turns") as Budget;
    this.#timed = budgets.filter(({ limit }) => "measure" in limit && limit.measure === "time");
    this.#shared = budgets.filter((budget) => budget instanceof SharedBudget);
    this.repeats = this.get("repeats") as RepeatBudget | undefined;
    this.#withReserve = budgets.filter(({ limit }) => "reserve" in limit && limit.reserve);
  }

  #strictest<B extends Budget>(
    budgets: readonly B[],
    boundaryOf: (budget: B) => Boundary | undefined,
    decide: Decide,
    isUnpriced = false,
  ): Reached | undefined {
    let reached: Reached | undefined;
    for (const budget of budgets) {
      const unpriced = isUnpriced ? this.#unpricedBoundary(budget) : undefined;
      const boundary = unpriced ?? boundaryOf(budget);
      if (!boundary) continue;
      const action = unpriced ? "stop" : decide(budget.limit);
      if (action === "refuse" || (reached && !isStricter(action, reached.action))) continue;
      reached = { budget, boundary, action };
    }
    return reached;
  }

  // The boundary of a cost limit that cannot hold the run, because a price is not known and no other limit takes over.
  #unpricedBoundary({ limit, standings }: Budget): Boundary | undefined {
    const cost = singlesOf(limit).find(({ unpriced }) => unpriced !== undefined);
    const mustHold = cost?.unpriced === "stop" || (cost?.unpriced === "tokens" && !this.has("tokens"));
    const standing = mustHold && standings.find((standing) => standing.limit === cost.name);
    return standing ? { ...standing, unpriced: true } : undefined;
  }
}
