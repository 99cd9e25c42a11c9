import type { Max, Outcome, Usage } from "turn-limit";

/** What the entry that a touched run leaves in the session is called. */
export const OUTCOME = "turn-limit:outcome";

/** A run ended. Sent to other extensions, and kept in the session if a limit touched the run. */
export interface OutcomeRecord {
  outcome: Outcome["kind"];
  /** The limit that ended the run, or made it end early, if one did. */
  limit?: string;
  turns: number;
  rounds: number;
  steps: number;
  maxTurns: Max;
  maxSteps: Max;
  /** Tokens, and US dollars where prices are known. */
  usage?: Usage;
  /** Milliseconds, without those in which a person was waited for. */
  time?: number;
  /** Is `usage.cost` not all of it, because a model had no price? Only said where there is a cost limit. */
  unpriced?: true;
  /** The same in a line for a person. */
  summary: string;
}
