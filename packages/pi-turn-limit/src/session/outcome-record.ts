import type { Outcome } from "turn-limit";

/** The session entry of a run in which a limit intervened. */
export const OUTCOME = "turn-limit:outcome";

/** A run ended. Sent to other extensions, and kept in the session if a limit intervened. */
export interface OutcomeRecord extends Omit<Outcome, "kind" | "intervened"> {
  outcome: Outcome["kind"];
  /** The same in a line for a person. */
  summary: string;
}
