import type { Max } from "../limits/Max.ts";
import { TurnLimit } from "../limits/TurnLimit.ts";
import type { Budget } from "./Budget.ts";
import { Budgets } from "./Budgets.ts";
import type { Boundary } from "./Decision.ts";
import type { GovernorOptions } from "./GovernorOptions.ts";
import type { Headless } from "./Headless.ts";
import { type Action, type Policy, strictest } from "./Policy.ts";
import { Spending } from "./Spending.ts";
import { StepCounter } from "./StepCounter.ts";

/** A limit at its boundary, whose it is, and what is to be done about it. */
export interface Reached extends Boundary {
  /** The limit that starts over, or is granted more: a group, if it is one. */
  holder: string;
  action: Action;
}

/** The limits of a governor: which of them is at its boundary, and which start over. */
export class LimitSet {
  readonly turns: TurnLimit;
  readonly steps: StepCounter;
  readonly budgets: Budgets;
  readonly spending: Spending;
  /** How the turn limit acts. */
  turnPolicy: Policy;

  constructor(options: GovernorOptions, headless: Headless) {
    const { turns, steps = "unlimited", limits, state } = options;
    const max = typeof turns === "object" && turns ? turns.max : turns;
    this.turnPolicy = { onExhausted: "ask", headless };
    this.turns = state ? TurnLimit.from(state.turns) : new TurnLimit(max);
    this.steps = state ? StepCounter.from(state.steps) : new StepCounter(steps);
    this.budgets = state ? Budgets.from(state.budgets, limits) : new Budgets(options, limits);
    this.spending = state ? Spending.from(state.spending) : new Spending();
  }

  /**
   * The limit at whose boundary the next turn is: of several the strictest, and among equals the first in this order:
   * steps, turns, cost without a price, tokens, cost, time, tools, repeats, and those of one's own. A turn that is only
   * requested again is one that the limits of steps and turns have admitted.
   */
  reached(again: boolean, actionOf: (policy: Policy) => Action): Reached | undefined {
    const reached: Reached[] = [];
    if (!again && this.steps.exceeded)
      reached.push({ ...this.steps.boundary, holder: "steps", action: "stop" });
    if (!again && this.turns.reached)
      reached.push({ ...this.turnBoundary, holder: "turns", action: actionOf(this.turnPolicy) });
    const unpriced = this.budgets.unpriced(this.spending);
    if (unpriced) reached.push({ ...unpriced, unpriced: true, action: "stop" });
    for (const budget of this.budgets) {
      const action = actionOf(budget.policy);
      const boundary = this.#boundaryOf(budget, action);
      if (boundary) reached.push({ ...boundary, holder: budget.name, action });
    }
    return strictest(reached);
  }

  /** Is another budget than that of turns as good as used up, so that the model has to wrap up? */
  isShort(actionOf: (policy: Policy) => Action): boolean {
    for (const budget of this.budgets) {
      if (actionOf(budget.policy) !== "synthesize" && budget.isShort(this.spending.spent)) return true;
    }
    return false;
  }

  /**
   * A new round for every limit that is at its boundary and asks what to do. Is the turn limit one of them? It is not
   * where no new turn is held: the one under way, or made again, may be the last.
   */
  restartReached(newTurnIsHeld: boolean): boolean {
    const { spent } = this.spending;
    for (const budget of this.budgets) {
      const asks = budget.policy.onExhausted === "ask";
      if (asks && budget.turnBoundary(spent, false)) budget.restart(spent);
    }
    const turns = newTurnIsHeld && this.turns.reached;
    if (turns) this.turns.restart();
    return turns;
  }

  /** A person allows this much in the new round of the limit, or group. */
  grant(holder: string, max: Max): void {
    if (holder === "turns") this.turns.grant(max);
    else this.budgets.get(holder)?.grant(max);
  }

  /** Throws if there is a time limit, and nobody said what time it is. */
  requireTime(): void {
    if (!this.spending.knowsTime && this.budgets.has("time"))
      throw new Error("A time limit needs the time: call timeIs(Date.now()) before each other event.");
  }

  /** How much time is used, if there is a time limit, and what is to be done when it is up. */
  get time(): (Boundary & { policy: Policy }) | undefined {
    const budget = this.budgets.get("time");
    const [standing] = budget?.standings(this.spending.spent) ?? [];
    return budget && standing && { ...standing, policy: budget.policy };
  }

  /** A new round of time, if there is a limit to it. */
  restartTime(): void {
    this.budgets.get("time")?.restart(this.spending.spent);
  }

  /** Throws if limits depend on which tool is called, and nobody said so. */
  requireTool(tool: string | undefined): void {
    if (tool === undefined && this.budgets.needTools)
      throw new Error("Limits of single tools and of repeats need the call: beforeStep({ id, tool, args }).");
  }

  /** The time limit, if the time is up, and what is to be done about it. */
  timeUp(actionOf: (policy: Policy) => Action): Reached | undefined {
    const budget = this.budgets.get("time");
    const boundary = budget?.turnBoundary(this.spending.spent, false);
    return budget && boundary && { ...boundary, holder: "time", action: actionOf(budget.policy) };
  }

  /** A prompt: everything starts over. */
  restart(): void {
    this.turns.restart();
    this.steps.restart();
    this.spending.restart();
    this.budgets.restart();
  }

  /** Each limit that there is, with what is used of it; turns always. */
  get standings(): Boundary[] {
    const { spent, unpriced } = this.spending;
    const steps = this.steps.max === "unlimited" ? [] : [this.steps.boundary];
    const budgets = [...this.budgets].flatMap((budget) => budget.standings(spent));
    const known = budgets.map((standing) =>
      unpriced && standing.limit === "cost" ? ({ ...standing, unpriced: true } as const) : standing,
    );
    return [this.turnBoundary, ...steps, ...known];
  }

  get turnBoundary(): Boundary {
    return { limit: "turns", used: this.turns.used, max: this.turns.maxInForce };
  }

  // What is kept back is for the answer made without tools, if it is that which comes.
  #boundaryOf(budget: Budget, action: Action): Boundary | undefined {
    return budget.turnBoundary(this.spending.spent, action === "synthesize");
  }
}
