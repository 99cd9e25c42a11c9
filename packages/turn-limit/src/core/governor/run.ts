import { type Check, oneOf } from "../checks.ts";
import type { Boundary } from "../limits/boundary.ts";
import type { Activity } from "../meter/counting.ts";
import type { Usage } from "../meter/usage.ts";
import { type Ask, notBegun, type Stop } from "./decision.ts";

/**
 * Where a run stands.
 *
 * - `idle`: no run is under way
 * - `running`: turns may begin
 * - `asking`: a turn is held while a person is asked
 * - `ending`: a limit ended the run; the host has yet to say that it settled
 */
export type RunStatus = "idle" | "running" | "asking" | "ending";

/** What a request is: a new turn, the same request once more, or one besides the turns. */
export type RequestKind = "turn" | "retry" | "aside";

/** How a turn ended that got no answer: its request failed, or a person or program cancelled it. */
export type Failure = "failed" | "aborted";

/** How a turn ended. Without a failure it was answered. */
export interface TurnEnd {
  failure?: Failure | undefined;
  usage?: Usage | undefined;
  /** What ended, for hosts that send several requests at once. Default: what was sent last. */
  as?: RequestKind | undefined;
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

/** What a person is being asked about. */
export interface Question extends Boundary {
  id: number;
  /** The limit, or group, that starts over or is granted more. */
  budget: string;
}

/** The tools-free turn of a run that is out of budget: which limit made it due, and whether it has begun. */
export interface Synthesis extends Boundary {
  begun: boolean;
  /** Is it due because the time was up in the middle of a turn? */
  byTime?: true;
}

/** Everything a {@link Run} knows, as plain data. */
export interface RunState {
  status: RunStatus;
  request: RequestStatus;
  /** What the last request was made for. */
  activity: Activity;
  /** How often the turn counter went up from zero. */
  rounds: number;
  /** Did a limit intervene: was there a question, a wrap-up, a refused call or a stop? */
  intervened: boolean;
  question: Question | null;
  /** Does a turn wait to be decided? */
  held: boolean;
  /** Did the host say that it waits for a person? */
  waiting: boolean;
  synthesis: Synthesis | null;
  /** The decision that is ending the run. */
  stop: Stop | null;
}

export const requireFailure: Check<Failure> = oneOf("failed", "aborted");

const IDLE: RunState = {
  status: "idle",
  request: "none",
  activity: "turn",
  rounds: 0,
  intervened: false,
  question: null,
  held: false,
  waiting: false,
  synthesis: null,
  stop: null,
};

/** The run under way, if there is one: where it stands, and how it goes on or ends. */
export class Run {
  #state: RunState;

  constructor(state: RunState = IDLE) {
    this.#state = { ...state };
    // A host that asked in the middle of a turn is gone after a restore, and will ask again.
    if (state.status !== "asking") this.#state.question = null;
  }

  get state(): Readonly<RunState> {
    return this.#state;
  }

  /** Is the next request a retry? */
  get repeatsRequest(): boolean {
    return this.#state.request === "retry-due";
  }

  /** Does it wait for a person? */
  get waitsForPerson(): boolean {
    return this.#state.question !== null || this.#state.waiting;
  }

  /** Is the tools-free turn due because the time is up, and has it not begun? */
  get isLastTurnDueByTime(): boolean {
    const { status, synthesis } = this.#state;
    return status === "running" && synthesis?.byTime === true && !synthesis.begun;
  }

  open(): void {
    this.#state = { ...IDLE, status: "running" };
  }

  close(): void {
    const { request, activity, rounds, intervened } = this.#state;
    this.#state = { ...IDLE, request, activity, rounds, intervened };
  }

  /** A request is sent for this activity. `isFirst`: the turn counter is zero. */
  send(activity: Activity, isFirst: boolean): void {
    const state = this.#state;
    const isNew = activity !== "retry" && activity !== "aside";
    if (isNew && (isFirst || state.rounds === 0)) state.rounds += 1;
    state.activity = activity;
    // Something else may be held meanwhile.
    if (state.status !== "asking") state.held = false;
    if (activity !== "aside" || this.#hasAsidesOnly) state.request = "in-flight";
  }

  /** The tools-free turn is made now, or next. */
  synthesize(boundary: Boundary, begun: boolean, byTime?: true): Synthesis {
    const synthesis = { ...boundary, begun, ...(byTime && { byTime }) };
    this.#state.synthesis = synthesis;
    if (!begun) return synthesis;
    this.#state.status = "running";
    this.#state.question = null;
    this.intervene();
    return synthesis;
  }

  /** A limit intervenes. */
  intervene(): void {
    this.#state.intervened = true;
  }

  /** A person is asked. A turn is held meanwhile, unless it is `midTurn`. */
  ask(question: Question, midTurn: boolean): Ask {
    const state = this.#state;
    const { budget: _, ...asked } = question;
    this.intervene();
    state.question = question;
    if (midTurn) return { ...asked, kind: "ask", midTurn };
    state.status = "asking";
    state.held = true;
    // The host wants the next turn, so the one before it is over, whether or not it was reported.
    if (state.request === "in-flight") state.request = "answered";
    return { ...asked, kind: "ask" };
  }

  /** The question is over; a held turn can be decided. */
  release(): void {
    this.#state.question = null;
    if (this.#state.status === "asking") this.#state.status = "running";
  }

  /** The run must end. */
  end(boundary: Boundary, outcome: Stop["outcome"], raises = false): Stop {
    const state = this.#state;
    this.intervene();
    state.status = "ending";
    state.held = false;
    state.question = null;
    state.stop = { ...notBegun(boundary), outcome, raises };
    return { ...state.stop };
  }

  /** The turn in flight ended. Was it answered? */
  turnEnded(failure: Failure | undefined): boolean {
    const state = this.#state;
    if (state.status !== "running") return false;
    const isWanted = state.request === "in-flight" || state.request === "retry-due";
    // Only a request that was still wanted can be made again.
    if (failure) state.request = failure === "failed" && isWanted ? "retry-due" : failure;
    if (failure || !isWanted) return false;
    state.request = "answered";
    return true;
  }

  /** A request besides the turns ended. It is never answered as a turn is, and says nothing of how the turns went. */
  asideEnded(failure: Failure | undefined): false {
    if (this.#state.status === "running" && this.#hasAsidesOnly) this.#state.request = failure ?? "answered";
    return false;
  }

  // Was there no turn so far?
  get #hasAsidesOnly(): boolean {
    return this.#state.rounds === 0;
  }

  /** The last answer was thrown away, and will be asked for again. Was there one? */
  turnDiscarded(): boolean {
    const state = this.#state;
    if (state.status !== "running" || state.request !== "answered") return false;
    state.request = "retry-due";
    return true;
  }

  set waiting(waiting: boolean) {
    this.#state.waiting = waiting;
  }
}
