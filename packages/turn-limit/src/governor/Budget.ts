import type { CustomLimit } from "../limits/Limit.ts";
import type { Max } from "../limits/Max.ts";
import type { RepeatState, StepCall } from "../limits/RepeatTracker.ts";
import type { Boundary } from "./Decision.ts";
import type { Policy } from "./Policy.ts";
import type { Spent } from "./Spent.ts";

/** Everything a {@link Budget} knows beside its limit, as plain data. */
export interface BudgetState {
  /** What had been spent when it last started over; `null`: nothing. */
  since: Spent | null;
  /** What a person allowed for this round in the place of its maximum. */
  granted: Max | null;
  /** Was a tool call refused? */
  exceeded: boolean;
  repeats?: RepeatState & { used: number; telling: boolean; told: boolean };
}

/** A tool call that a budget does not cover. */
export interface Overstep {
  boundary: Boundary;
  /** Has the budget run out, or is the call only refused, so that the model can think again? */
  final: boolean;
  policy: Policy;
}

/** A limit beside those of turns and steps: may the next turn or tool call begin? */
export interface Budget {
  readonly name: string;
  /** The limits it is made of. */
  readonly leaves: readonly CustomLimit[];
  readonly policy: Policy;
  /** Is there a maximum at all? */
  readonly bounded: boolean;
  /** Each of its limits, with what is used of it. */
  standings(spent: Spent): Boundary[];
  /** The boundary, if the next turn is beyond it. With `early`, what is kept back counts as used. */
  turnBoundary(spent: Spent, early: boolean): Boundary | undefined;
  /** The boundary, if the tool call is beyond it. */
  overstep(call: StepCall, spent: Spent): Overstep | undefined;
  /** Is no more left than what is kept back for the final answer? */
  isShort(spent: Spent): boolean;
  /** A new round, which begins when this had been spent. */
  restart(spent: Spent | null): void;
  /** A person allows this much in the new round. */
  grant(max: Max): void;
  toJSON(): BudgetState;
}
