import type { Boundary, Extended, Max, Waits } from "../limits/boundary.ts";
import type { Activity } from "../measures/measures.ts";
import type { Usage } from "../meter/usage.ts";
import type { Stop } from "./decision.ts";
import type { ToldShares } from "./telling.ts";

/**
 * Where a run stands.
 *
 * - `idle`: no run is under way
 * - `running`: turns may begin
 * - `asking`: a turn is held while a person is asked, or the host finds out whether the run got somewhere
 * - `ending`: a limit ended the run; the host has yet to say that it settled
 */
export type RunStatus = "idle" | "running" | "asking" | "ending";

/** What a request is: a new turn, the same request once more, or one besides the turns. */
export type RequestKind = "turn" | "retry" | "aside";

/** What the host knows about a turn that is about to begin. */
export interface TurnStart {
  /** Does the model have a price? Not needed where usage is reported without a cost. */
  priced?: boolean | undefined;
  /**
   * What it is: a new turn, the same request once more, or a request besides the turns. Default: the same once more if the
   * last one failed, else a new turn.
   */
  as?: RequestKind | undefined;
  /**
   * Can the model be told in it what it has left? If not, it is told in a later one. Default: in turns, and not in requests
   * besides them.
   */
  hears?: boolean | undefined;
  /**
   * The tool with which the agent gives its answer, if the host knows it, and not the settings; `false`: the agent has none,
   * whatever the settings say. It holds until another is named.
   */
  finalTool?: string | false | undefined;
}

/** How a turn ended that got no answer: its request failed, or a person or program cancelled it. */
export type Failure = "failed" | "aborted";

/** How a turn ended. Without a failure it was answered. */
export interface TurnEnd {
  failure?: Failure | undefined;
  usage?: Usage | undefined;
  /** What ended, for hosts that send several requests at once. Default: what was sent last. */
  as?: RequestKind | undefined;
  /** Which turn ended, as `view.admission` was when it was admitted. One that has ended before changes nothing. */
  admission?: number | undefined;
}

/**
 * The status of the run's last request.
 *
 * - `none`: there was none yet
 * - `in-flight`: it has been sent
 * - `answered`: its answer arrived
 * - `retry-due`: it failed, or its answer was thrown away; the next request takes its place
 * - `failed`, `aborted`: it has no answer, and no retry will get one
 */
export type RequestStatus = "none" | "in-flight" | "answered" | "retry-due" | Failure;

/** What a person is being asked about, or the host. */
export interface Question extends Boundary {
  id: number;
  /** The limit, or group, that starts over or is granted more. */
  budget: string;
  /** Not a person is asked, but the host, whether the run got somewhere: in so many turns of the round. */
  turns?: number;
  /** Nobody has to reply: it is waited until the limit starts over. */
  waits?: Waits;
}

/** A limit that was extended without a question, because the run got somewhere. */
export interface ExtendedLimit extends Extended, Pick<Boundary, "limit" | "identity"> {}

/** Another round of a limit that was begun so. `by`: how much it admits. */
export interface ExtensionRound extends ExtendedLimit {
  by: Max;
}

/** The tools-free turn of a run that is out of budget: which limit made it due, and whether it has begun. */
export interface Synthesis extends Boundary {
  begun: boolean;
  /** The one tool that is offered in it. */
  finalTool?: string;
  /** Is it due because the time was up in the middle of a turn? */
  byTime?: true;
}

/** A request that was admitted and has not ended, as far as the host says. */
export interface Admission {
  id: number;
  activity: Activity;
  /** Does the turn limit not apply to it? */
  exempt: boolean;
  /** Is the model told in it to wrap up? */
  tells: boolean;
  /** What it tells the model of what is left of which limits. */
  told?: ToldShares;
  /** Has it really been sent? */
  sent: boolean;
  /** How often budgets had started over. */
  restarts: number;
  /** What the last request was at the time, and what that was made for. */
  request: RequestStatus;
  before: Activity;
}

/** Everything that is known of a run besides what it used, as plain data. */
export interface RunState {
  status: RunStatus;
  request: RequestStatus;
  /** What the last request was made for. */
  activity: Activity;
  /** How many requests were ever admitted. */
  admissions: number;
  /** Was the answer given in the last turn by the call of the final tool? */
  delivered: boolean;
  /** How often the turn counter went up from zero. */
  rounds: number;
  /** Did a limit intervene: was there a question, an extension, a wrap-up, a refused call or a stop? */
  intervened: boolean;
  /** What was extended in this run without a question, limit by limit. */
  extensions: ExtendedLimit[];
  question: Question | null;
  /** How many questions were asked, and how many of them before this run. */
  questions: number;
  earlierQuestions: number;
  /** Does a turn wait to be decided? */
  held: boolean;
  /** Did the host say that it waits for a person? */
  waiting: boolean;
  /** Has the model to be told to wrap up, because a person wants it? */
  wrapUpRequested: boolean;
  /** Was it told in this round? In this run, too, and not in one before it? */
  wrapUpSent: boolean;
  wrapUpSentInRun: boolean;
  synthesis: Synthesis | null;
  /** The decision that is ending the run. */
  stop: Stop | null;
}

/** A call that was admitted and may still be denied. `restarts`: how often a budget had started over. */
export interface Deniable {
  tool?: string | undefined;
  restarts: number;
  /** Is it the answer, and no step? */
  isAnswer?: true;
}

/**
 * The state as it is saved, with the requests that have not ended, the latest of them at the end, and the calls that may
 * still be denied, by their ids.
 */
export interface SavedRunState extends RunState {
  open: Admission[];
  deniable: [id: string, call: Deniable][];
}

/** No run was under way yet. */
export const IDLE: RunState = {
  status: "idle",
  request: "none",
  activity: "turn",
  admissions: 0,
  delivered: false,
  rounds: 0,
  intervened: false,
  extensions: [],
  question: null,
  questions: 0,
  earlierQuestions: 0,
  held: false,
  waiting: false,
  wrapUpRequested: false,
  wrapUpSent: false,
  wrapUpSentInRun: false,
  synthesis: null,
  stop: null,
};
