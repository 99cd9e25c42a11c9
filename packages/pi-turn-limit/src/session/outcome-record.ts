import type { Outcome } from "turn-limit";

/** What the entry that a touched run leaves in the session is called. */
export const OUTCOME = "turn-limit:outcome";

/** A run ended. Sent to other extensions, and kept in the session if a limit touched the run. */
export interface OutcomeRecord extends Omit<Outcome, "kind" | "touched"> {
  outcome: Outcome["kind"];
  /** The same in a line for a person. */
  summary: string;
}
