import type { Boundary } from "../limits/max.ts";
import type { Totals } from "../meter/meter.ts";
import type { Stop } from "./decision.ts";
import type { Outcome } from "./outcome.ts";
import type { Question, RequestStatus, RunStatus } from "./run.ts";
import type { CompleteSettings } from "./settings.ts";

/** The facts about a run, as they are at the moment of reading. Changing them changes nothing. */
export interface GovernorView {
  /** Where the run stands. */
  readonly status: RunStatus;
  /** The status of its last request. */
  readonly request: RequestStatus;
  /** What a person is being asked about. */
  readonly question: Question | null;
  /** Each limit with its usage; turns always, and first. */
  readonly standings: Boundary[];
  /** What was used since the last prompt. */
  readonly totals: Totals;
  /** The decision that is ending the run, until it has settled. */
  readonly stop: Stop | null;
  /** Is the tools-free last turn due or under way? */
  readonly synthesizing: boolean;
  /** Would a run that was not started by a person's prompt end before its first turn, without a question? */
  readonly exhausted: boolean;
  /** Is there a cost limit, and something spent, or about to be, whose price is not known? */
  readonly unpriced: boolean;
  /** Is there a limit of tokens or cost, and a provider that does not report usage? */
  readonly unreported: boolean;
  /** Did the host say that it waits for a person? */
  readonly waiting: boolean;
  /** Milliseconds until `overdue` has something to say, if the turn under way takes that long. */
  readonly timeLeft: number | undefined;
  /** Was the model told to wrap up in this round? */
  readonly wrapUpSent: boolean;
  /** How the run would end if it settled now; `undefined` if there is none. */
  readonly outcome: Outcome | undefined;
  /** The settings that hold, complete. */
  readonly settings: CompleteSettings;
}
