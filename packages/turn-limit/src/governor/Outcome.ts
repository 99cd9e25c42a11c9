import type { Max } from "../limits/Max.ts";
import type { LimitName } from "./Decision.ts";

/** Why a run ended. */
export type OutcomeKind = "completed" | "declined" | "stopped" | "aborted" | "failed";

/** How a run ended, and what it took. */
export interface Outcome {
  kind: OutcomeKind;
  /** The limit that ended the run, if one did. */
  limit?: LimitName;
  /** Turns of the whole run, over all its rounds. */
  turns: number;
  /** How often the counter went up from zero: once, and again after each yes, re-enabled limit or reset. */
  rounds: number;
  /** The turn limit at the end of the run. */
  maxTurns: Max;
  /** Did a limit make itself felt: was there a question, or a stop? */
  touched: boolean;
}
