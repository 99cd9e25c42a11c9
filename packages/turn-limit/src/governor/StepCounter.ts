import { isReached, type Max, requireCount } from "../limits/Max.ts";
import { type StepBudget, StepLimit } from "../limits/StepLimit.ts";
import type { Boundary } from "./Decision.ts";

/** What a governor takes as a step limit. */
export type StepOption = number | StepBudget | "unlimited";

/** A step limit as a governor holds it. */
export type ValidBudget = Readonly<Required<StepBudget>> | "unlimited";

/** Everything a {@link StepCounter} knows, as plain data. */
export interface StepCounterState {
  budget: ValidBudget;
  used: number;
  exceeded: boolean;
}

/** Counts the steps since the last prompt, with or without a budget. */
export class StepCounter {
  #budget: ValidBudget;
  #used = 0;
  #exceeded = false;

  constructor(option: StepOption) {
    this.#budget = validated(option);
  }

  static from({ budget, used, exceeded }: StepCounterState): StepCounter {
    const counter = new StepCounter(budget);
    counter.#used = requireCount("steps.used", used);
    counter.#exceeded = exceeded;
    return counter;
  }

  get budget(): ValidBudget {
    return this.#budget;
  }

  set budget(option: StepOption) {
    this.#budget = validated(option);
    if (!this.reached) this.#exceeded = false;
  }

  get max(): Max {
    return this.#budget === "unlimited" ? "unlimited" : this.#budget.max;
  }

  /** Steps that were admitted. */
  get used(): number {
    return this.#used;
  }

  /** Was a step refused? */
  get exceeded(): boolean {
    return this.#exceeded;
  }

  /** Is this the boundary, the moment before a step the budget does not cover? */
  get reached(): boolean {
    return isReached(this.#used, this.max);
  }

  /** What happens when a step is refused. */
  get action(): "stop" | "synthesize" {
    return this.#budget !== "unlimited" && this.#budget.onExhausted === "synthesize" ? "synthesize" : "stop";
  }

  get boundary(): Boundary {
    return { limit: "steps", used: this.#used, max: this.max };
  }

  /** Admits one more step, or refuses it. */
  tick(): boolean {
    if (this.reached) this.#exceeded = true;
    else this.#used += 1;
    return !this.#exceeded;
  }

  restart(): void {
    this.#used = 0;
    this.#exceeded = false;
  }

  toJSON(): StepCounterState {
    return { budget: this.#budget, used: this.#used, exceeded: this.#exceeded };
  }
}

function validated(option: StepOption): ValidBudget {
  if (option === "unlimited") return option;
  const { max, onExhausted } = new StepLimit(option);
  return Object.freeze({ max, onExhausted });
}
