import { InvalidLimit } from "../errors/InvalidLimit.ts";
import type { BudgetOptions, ReserveOptions } from "../limits/BudgetOptions.ts";
import { type CostOptions, costLimit, type Unpriced } from "../limits/CostLimit.ts";
import type { CustomLimit, Limit } from "../limits/Limit.ts";
import type { Max } from "../limits/Max.ts";
import type { StepCall } from "../limits/RepeatTracker.ts";
import { timeLimit } from "../limits/TimeLimit.ts";
import { type TokenOptions, tokenLimit } from "../limits/TokenLimit.ts";
import { toolLimit } from "../limits/ToolLimit.ts";
import type { Budget, BudgetState, Overstep } from "./Budget.ts";
import type { Boundary } from "./Decision.ts";
import { MeasuredBudget } from "./MeasuredBudget.ts";
import { RepeatBudget } from "./RepeatBudget.ts";
import type { Spending } from "./Spending.ts";
import type { Spent } from "./Spent.ts";

/** The budgets of a run beside turns and steps. Each is off by default. */
export interface BudgetSettings {
  /** Tokens. */
  tokens?: Max | TokenOptions;
  /** US dollars. */
  cost?: Max | CostOptions;
  /** Milliseconds. */
  time?: Max | ReserveOptions;
  /** Calls of single tools, by their names. */
  tools?: Readonly<Record<string, Max | BudgetOptions>>;
  /** How often in a row the same tool call may have the same result. */
  repeats?: Max | BudgetOptions;
}

/** Everything {@link Budgets} know, as plain data. */
export interface BudgetsState {
  settings: Required<BudgetSettings>;
  budgets: Record<string, BudgetState>;
}

/** The budgets in the order in which they are reported, those without a maximum left out. */
export class Budgets {
  readonly #custom: readonly Limit[];
  #settings: Required<BudgetSettings>;
  #budgets: Budget[];

  constructor(options: BudgetSettings, custom: readonly Limit[] = []) {
    const { tokens = "unlimited", cost = "unlimited", time = "unlimited", repeats = "unlimited" } = options;
    const { tools = {} } = options;
    this.#custom = custom;
    this.#settings = { tokens, cost, time, tools, repeats };
    this.#budgets = made(this.#settings, custom);
  }

  static from({ settings, budgets }: BudgetsState, custom?: readonly Limit[]): Budgets {
    const restored = new Budgets(settings, custom);
    restored.#budgets = made(settings, restored.#custom, budgets, true);
    return restored;
  }

  get settings(): Required<BudgetSettings> {
    return this.#settings;
  }

  /** Changes some of them. One that there was not before starts over; the others keep what is used. */
  change(changed: BudgetSettings, { spent }: Spending): void {
    const said: BudgetSettings = Object.fromEntries(
      Object.entries(changed).filter(([, value]) => value !== undefined),
    );
    const settings = { ...this.#settings, ...said };
    const known = this.toJSON().budgets;
    for (const [name, state] of Object.entries(known)) {
      if (name in said || ("tools" in said && name.startsWith("tools."))) state.granted = null;
    }
    const budgets = made(settings, this.#custom, known);
    for (const budget of budgets) if (!known[budget.name]) budget.restart(spent);
    this.#settings = settings;
    this.#budgets = budgets;
  }

  [Symbol.iterator](): Iterator<Budget> {
    return this.#budgets.values();
  }

  get(name: string): Budget | undefined {
    return this.#budgets.find((budget) => budget.name === name);
  }

  /** Is a limit of this name among them, by itself or in a group? */
  has(name: string): boolean {
    return this.#budgets.some((budget) => budget.leaves.some((leaf) => leaf.name === name));
  }

  /** Do limits need to know which tool is called? */
  get needTools(): boolean {
    return this.repeats !== undefined || this.#leaves.some(({ tool }) => tool !== undefined);
  }

  /** Why the call must not be made, by each of the budgets that do not cover it. */
  oversteps(call: StepCall, spent: Spent): Overstep[] {
    return this.#budgets.flatMap((budget) => budget.overstep(call, spent) ?? []);
  }

  /** A cost limit that cannot hold the run, because a price is not known, where nothing else is to hold it. */
  unpriced({ spent, unpriced }: Spending): (Boundary & { holder: string }) | undefined {
    if (!unpriced) return undefined;
    const mustHold = ({ name, unpriced: mode }: CustomLimit & { unpriced?: Unpriced }) =>
      name === "cost" && (mode === "stop" || (mode === "tokens" && !this.has("tokens")));
    const budget = this.#budgets.find(({ leaves }) => leaves.some(mustHold));
    const standing = budget?.standings(spent).find(({ limit }) => limit === "cost");
    return budget && standing && { ...standing, holder: budget.name };
  }

  /** What watches for repeats, if anything does. */
  get repeats(): RepeatBudget | undefined {
    return this.get("repeats") as RepeatBudget | undefined;
  }

  get #leaves(): readonly CustomLimit[] {
    return this.#budgets.flatMap(({ leaves }) => leaves);
  }

  restart(): void {
    for (const budget of this.#budgets) budget.restart(null);
  }

  toJSON(): BudgetsState {
    const budgets = this.#budgets.map((budget) => [budget.name, budget.toJSON()]);
    return { settings: this.#settings, budgets: Object.fromEntries(budgets) };
  }
}

function made(
  { tokens, cost, time, tools, repeats }: Required<BudgetSettings>,
  custom: readonly Limit[],
  states: Record<string, BudgetState> = {},
  isRestored = false,
): Budget[] {
  const perTool = Object.entries(requireTools(tools)).map(([tool, budget]) => toolLimit(tool, budget));
  const measured = (limit: Limit) => new MeasuredBudget(limit, states);
  const budgets = [
    ...[tokenLimit(tokens), costLimit(cost), timeLimit(time), ...perTool].map(measured),
    new RepeatBudget(repeats, states.repeats),
    ...custom.map(measured),
  ];
  const bounded = budgets.filter((budget) => budget.bounded);
  const names = bounded.map(({ name }) => name);
  requireUnique(["turns", "steps", ...names]);
  const lost = Object.keys(states).find((name) => !names.includes(name));
  if (isRestored && lost) throw new InvalidLimit("limits", lost, "given again: the state knows it");
  return bounded;
}

function requireTools(tools: unknown): NonNullable<BudgetSettings["tools"]> {
  if (typeof tools === "object" && tools && !Array.isArray(tools)) return { ...tools };
  throw new InvalidLimit("tools", tools, "limits by the names of tools");
}

function requireUnique(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new InvalidLimit("limits", twice, "limits with names of their own");
}
