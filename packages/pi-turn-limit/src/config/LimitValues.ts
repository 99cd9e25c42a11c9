import type { Headless, Max, OnBudgetExhausted, OnExhausted, Unpriced } from "turn-limit";

export type { Headless, OnBudgetExhausted } from "turn-limit";

/** The step limit: off, or a budget with its policy for running out. */
export type Steps = "unlimited" | { max: number; onExhausted: OnExhausted };

/** How a person is asked at the boundary. */
export type BoundaryStyle = "confirm" | "menu";

/** The limit of one tool: off, or a budget with its policies for running out. */
export type ToolBudget = "unlimited" | { max: number; onExhausted: OnBudgetExhausted; headless: Headless };

export type ToolKey = `tools.${string}`;

interface ToolValues {
  [tool: ToolKey]: ToolBudget;
}

interface NamedValues {
  turns: Max;
  grace: number;
  headless: Headless;
  /** Replaces the default wrap-up text; empty means the default. */
  wrapUpMessage: string;
  steps: Steps;
  "tokens.max": Max;
  "tokens.onExhausted": OnBudgetExhausted;
  "tokens.headless": Headless;
  /** Tokens kept back for the final answer. */
  "tokens.reserve": number;
  "tokens.cacheReads": boolean;
  "tokens.cacheWrites": boolean;
  /** In US dollars. */
  "cost.max": Max;
  "cost.onExhausted": OnBudgetExhausted;
  "cost.headless": Headless;
  /** US dollars kept back for the final answer. */
  "cost.reserve": number;
  "cost.unpriced": Unpriced;
  /** In milliseconds. */
  "time.max": Max;
  "time.onExhausted": OnBudgetExhausted;
  "time.headless": Headless;
  "repeats.max": Max;
  "repeats.onExhausted": OnBudgetExhausted;
  "repeats.headless": Headless;
  boundary: BoundaryStyle;
}

/** Everything that can be configured about the limits; a key with a dot is the path in a settings file. */
export interface LimitValues extends NamedValues, ToolValues {}

/** What one source says; it need not say everything. */
export type Claims = Partial<NamedValues> & ToolValues;

export type LimitKey = keyof LimitValues;

/** What the table of budgets is about: all but turns, steps and single tools. */
export type BudgetKey = Exclude<
  keyof NamedValues,
  "turns" | "grace" | "headless" | "wrapUpMessage" | "steps"
>;
