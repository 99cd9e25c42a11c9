import type { TurnLimitState } from "../limits/TurnLimit.ts";
import type { AuditState } from "./Audit.ts";
import type { BudgetsState } from "./Budgets.ts";
import type { Activity } from "./counting.ts";
import type { Boundary, Stop } from "./Decision.ts";
import type { Headless } from "./Headless.ts";
import type { RequestStatus } from "./RequestStatus.ts";
import type { RunTally } from "./RunTally.ts";
import type { SpendingState } from "./Spending.ts";
import type { StepCounterState } from "./StepCounter.ts";
import type { Synthesis } from "./Synthesis.ts";
import type { Usage } from "./Usage.ts";
import type { WrapUpState } from "./WrapUpSwitch.ts";

/**
 * Where a run stands.
 *
 * - `idle`: no run is under way
 * - `running`: turns may begin
 * - `asking`: a turn is held while a person is asked
 * - `ending`: a limit ended the run; the host has yet to say that it settled
 */
export type RunStatus = "idle" | "running" | "asking" | "ending";

/** Everything a governor knows, as plain data that survives `JSON.stringify`. */
export interface GovernorState {
  status: RunStatus;
  turns: TurnLimitState;
  steps: StepCounterState;
  wrapUp: WrapUpState;
  headless: Headless;
  budgets: BudgetsState;
  /** What was spent since the last prompt. */
  spending: SpendingState;
  /** What was really sent and executed, as far as the host says. */
  audit: AuditState;
  /** Where the limit stands that a person is being asked about. */
  question: Boundary | null;
  /** The limit, or group, that the question is about. */
  asked: string | null;
  /** Does a turn wait to be decided? */
  held: boolean;
  /** Did the host say that a person is being waited for? */
  waiting: boolean;
  request: RequestStatus;
  tally: RunTally;
  /** What the answers of the run took, if anybody said. */
  usage: Usage | null;
  /** What the last request was made for. */
  activity: Activity;
  /** The tools-free last turn, once it is due. */
  synthesis: Synthesis | null;
  /** The decision that is ending the run, until it has settled. */
  stop: Stop | null;
  /** Has a person said no since the last prompt? */
  declined: boolean;
}
