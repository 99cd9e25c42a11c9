import { isOwn } from "../limits/boundary.ts";
import type { KindName } from "../limits/kinds.ts";
import { isGroup, type SingleLimit, singlesOf } from "../limits/limit.ts";
import { holdsCalls } from "../limits/stands-before.ts";
import type { Measure } from "../measures/measures.ts";
import type { Budget } from "./budget.ts";
import type { RepeatBudget } from "./repeat-budget.ts";
import type { SharedBudget } from "./shared-budget.ts";

/** The budgets in use, and which of them are looked at when. Sorted once, since every turn looks. */
export class BudgetLists {
  readonly every: readonly Budget[];
  /** Those that can hold something: a gate is not among them while it is open. */
  all: readonly Budget[] = [];
  /** Those of the run alone, and those of `all` that others draw from, too. */
  readonly own: readonly Budget[];
  shared: readonly SharedBudget[] = [];
  readonly withReserve: readonly Budget[];
  readonly timed: readonly Budget[];
  readonly beforeCalls: readonly Budget[];
  /** The turn limit, which there always is. */
  readonly turns: Budget;
  readonly steps: Budget | undefined;
  readonly repeats: RepeatBudget | undefined;
  /** May a limit need to be told the time? {@link need} knows. */
  readonly mayNeedTime: boolean;
  readonly #singles: readonly SingleLimit[];
  readonly #custom: readonly SingleLimit[];
  readonly #needed: { readonly time: boolean; readonly calls: boolean };

  constructor(budgets: readonly Budget[]) {
    this.every = budgets;
    this.leaveOutOpenGates();
    this.#singles = budgets.flatMap(({ limit }) => singlesOf(limit));
    this.#custom = this.#singles.filter(({ needs }) => needs);
    this.#needed = { time: this.measure("time"), calls: this.measure("calls") };
    this.mayNeedTime = this.#needed.time || this.#custom.length > 0;
    this.timed = budgets.filter(({ limit }) => "measure" in limit && limit.measure === "time");
    this.beforeCalls = budgets.filter(({ limit }) => holdsCalls(limit));
    this.own = budgets.filter((budget) => !isShared(budget));
    this.turns = this.#ofKind("turns") as Budget;
    this.steps = this.#ofKind("steps");
    this.repeats = this.#ofKind("repeats") as RepeatBudget | undefined;
    this.withReserve = budgets.filter(({ limit }) => "reserve" in limit && limit.reserve);
  }

  get(name: string): Budget | undefined {
    return this.every.find((budget) => budget.name === name);
  }

  getShared(name: string): SharedBudget | undefined {
    return this.every.find((budget): budget is SharedBudget => isShared(budget) && budget.name === name);
  }

  /** Does a limit measure this, by itself or in a group? */
  measure(measure: Measure): boolean {
    return this.#singles.some((single) => single.measure === measure);
  }

  /** Is there a limit of this, of the run or of a pool, that is not unlimited? */
  hold(kind: "tokens" | "cost"): boolean {
    return this.all.some((budget) => budget.holds(kind));
  }

  /** Does a limit need to be told the time, or which tool is called? */
  need(part: "time" | "calls"): boolean {
    // What a limit of one's own reads may change from turn to turn.
    return this.#needed[part] || (this.#custom.length > 0 && this.#custom.some(({ needs }) => needs?.(part)));
  }

  /** Would a model without a price end the run? */
  get stopUnpriced(): boolean {
    if (!this.hold("cost")) return false;
    const hasTokenLimit = this.hold("tokens");
    return this.all.some((budget) => budget.unpricedBoundary(hasTokenLimit) !== undefined);
  }

  /** Is there one that may be extended while the run gets somewhere? */
  get mayExtend(): boolean {
    return this.own.some(({ limit: { extend = 0 } }) => extend > 0);
  }

  /** A gate has opened or closed. One that is open adds nothing to the work of a turn. */
  leaveOutOpenGates(): void {
    this.all = this.every.filter(({ isOpenGate }) => !isOpenGate);
    this.shared = this.all.filter(isShared);
  }

  // The run's own budget of a kind.
  #ofKind(kind: KindName): Budget | undefined {
    return this.own.find(({ limit }) => !isGroup(limit) && isOwn(limit.identity, kind));
  }
}

function isShared(budget: Budget): budget is SharedBudget {
  return "budget" in budget.limit && budget.limit.budget !== undefined;
}
