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
  /** How often the counter stood at zero at the begin of a turn: 1, and one more for each yes. */
  rounds: number;
  /** The turn limit at the end of the run. */
  maxTurns: Max;
  /** Did a limit make itself felt: was there a question, or a stop? */
  touched: boolean;
}
