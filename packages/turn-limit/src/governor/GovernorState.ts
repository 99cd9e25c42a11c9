import type { TurnLimitState } from "../limits/TurnLimit.ts";
import type { Stop } from "./Decision.ts";

/**
 * Where a run stands.
 *
 * - `idle`: no run is under way
 * - `running`: turns may begin
 * - `asking`: a turn is held while a person is asked
 * - `ending`: a limit ended the run; the host has yet to say that it settled
 */
export type RunStatus = "idle" | "running" | "asking" | "ending";

/** How a turn ended that got no answer: its request failed, or a person or program cancelled it. */
export type Mishap = "failed" | "aborted";

/** Everything a governor knows, as plain data that survives `JSON.stringify`. */
export interface GovernorState {
  status: RunStatus;
  turns: TurnLimitState;
  /** What befell the last request. */
  mishap: Mishap | null;
  /** Does the last turn still want its answer? If its request failed, the next one takes its place. */
  unanswered: boolean;
  /** Turns of the run so far, over all rounds. */
  runTurns: number;
  rounds: number;
  touched: boolean;
  /** The decision that is ending the run, until it has settled. */
  stop: Stop | null;
}
