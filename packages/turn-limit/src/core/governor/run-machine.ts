import { type Boundary, boundaryAlone } from "../limits/boundary.ts";
import type { Action } from "../limits/policy.ts";
import { hasRoom, softLimit, wrapUpMessage } from "../limits/wrap-up.ts";
import type { AuditState } from "./audit.ts";
import type { Budgets } from "./budgets.ts";
import type { Reached } from "./decide.ts";
import { type Ask, notBegun, type Stop, type Synthesize } from "./decision.ts";
import { Requests } from "./requests.ts";
import {
  type Deniable,
  IDLE,
  type RequestKind,
  type RunState,
  type SavedRunState,
  type Synthesis,
} from "./run.ts";

/** The run under way, if there is one: where it stands, and how it goes on or ends. */
export class RunMachine {
  readonly #budgets: Budgets;
  readonly #state: RunState;
  readonly requests: Requests;
  /** The tool of each call that was admitted and has no result, by its id, and how often budgets had started over. */
  readonly deniable: Map<string, Deniable>;

  constructor(budgets: Budgets, { deniable = [], ...state }: RunState & Partial<SavedRunState> = IDLE) {
    this.deniable = new Map(deniable);
    this.#budgets = budgets;
    this.#state = { ...state, open: [...state.open] };
    this.requests = new Requests(budgets, this.#state);
    // A host that asked in the middle of a turn is gone after a restore, and will ask again.
    if (state.status !== "asking") this.#state.question = null;
    // Saved during a question, and there is no person any more to answer it.
    if (!budgets.settings.canAsk) this.release();
  }

  get state(): Readonly<RunState> {
    return this.#state;
  }

  toState(): SavedRunState {
    return { ...this.#state, deniable: [...this.deniable] };
  }

  /** What the next request is, if the host does not say. */
  get nextKind(): RequestKind {
    return this.#state.request === "retry-due" ? "retry" : "turn";
  }

  /** Is it at its end: stopped, or with one last answer to make? */
  get isEnding(): boolean {
    return this.#state.stop !== null || this.#state.synthesis !== null;
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

  /** Milliseconds until the time is up, if the turn under way takes that long. */
  get timeLeft(): number | undefined {
    const isWatched = this.#state.status === "running" && !this.waitsForPerson && !this.isLastTurnDueByTime;
    return isWatched ? this.#budgets.shortestTime?.left : undefined;
  }

  open(): void {
    const { status, questions, wrapUpSent, admissions } = this.#state;
    // Work that is under way when a prompt comes stays admitted.
    if (status === "idle") this.#budgets.audit.newRun();
    this.#budgets.opened = this.#budgets.meter.read();
    const kept = { questions, earlierQuestions: questions, wrapUpSent, admissions };
    Object.assign(this.#state, IDLE, kept, { status: "running", open: [] });
    this.deniable.clear();
  }

  close(): void {
    const { status, question, held, waiting, synthesis, stop } = IDLE;
    Object.assign(this.#state, { status, question, held, waiting, synthesis, stop, open: [] });
    this.deniable.clear();
  }

  /** The counters started over, so the model can be told to wrap up again. What a person asked for is still wanted. */
  newRound(): void {
    this.#state.wrapUpSent = this.#state.wrapUpSentInRun = false;
  }

  /** A person wants the model to wrap up. One that was told in this round is not told again. Is there a run? */
  requestWrapUp(): boolean {
    const { status, synthesis, wrapUpSent } = this.#state;
    if (status === "idle" || status === "ending" || synthesis) return false;
    this.#state.wrapUpRequested = !wrapUpSent;
    return true;
  }

  /** A person wants it in the turn that begins now, whether or not the model was told before. */
  insistOnWrapUp(): void {
    this.#state.wrapUpSent = false;
    this.#state.wrapUpRequested = true;
  }

  /** What the model has to be told, if it has to wrap up: on request, or when little is left, once a round. */
  takeWrapUp(): string | undefined {
    const state = this.#state;
    if (state.wrapUpSent || !(state.wrapUpRequested || this.#isShort)) return undefined;
    // It counts as sent, unless it cannot be made.
    const message = wrapUpMessage(this.#budgets.settings.turns.wrapUp);
    state.wrapUpRequested = false;
    state.wrapUpSent = state.wrapUpSentInRun = state.intervened = true;
    return message;
  }

  // Is so little left that the model has to wrap up?
  get #isShort(): boolean {
    const budgets = this.#budgets;
    if (budgets.isShort) return true;
    const { grace, wrapUp } = budgets.settings.turns;
    const { max } = budgets.turns;
    return hasRoom(max, grace) && budgets.turnsCompleted >= softLimit(max, grace, wrapUp.grace?.());
  }

  /** The tools-free turn is made next. */
  synthesisIsDue(boundary: Boundary, byTime?: true): Synthesis {
    const synthesis = { ...boundary, begun: false, ...(byTime && { byTime }) };
    this.#state.synthesis = synthesis;
    return synthesis;
  }

  /** The tools-free turn begins. It has a round of time of its own, and no more. */
  beginLast(boundary: Boundary): Synthesize {
    const state = this.#state;
    this.#budgets.restartTime();
    state.synthesis = { ...boundary, begun: true };
    state.status = "running";
    state.question = null;
    state.intervened = true;
    this.requests.begin("synthesis");
    return this.lastTurn(boundary);
  }

  /** What the model gets in the tools-free turn. */
  lastTurn(boundary: Boundary): Synthesize {
    const message = this.#budgets.settings.synthesisMessage;
    return { ...boundaryAlone(boundary), kind: "synthesize", message };
  }

  /** A person is asked. A turn is held meanwhile, unless it is `midTurn`. */
  ask({ budget, boundary }: Reached, midTurn: boolean): Ask {
    const state = this.#state;
    // About the same limit it is the same question.
    if (state.question?.budget !== budget.name) state.questions += 1;
    state.question = { ...boundary, id: state.questions, budget: budget.name };
    state.intervened = true;
    const ask: Ask = { ...boundary, id: state.questions, kind: "ask" };
    if (midTurn) return { ...ask, midTurn };
    state.status = "asking";
    state.held = true;
    // The host wants the next turn, so the one before it is over, whether or not it was reported.
    if (state.request === "in-flight") state.request = "answered";
    return ask;
  }

  /** The question is over; a held turn can be decided. */
  release(): void {
    this.#state.question = null;
    if (this.#state.status === "asking") this.#state.status = "running";
  }

  /** The run must end, as this action says. */
  end(boundary: Boundary, action: Action | "overrun"): Stop {
    const state = this.#state;
    if (action === "decline") this.#budgets.declined = true;
    state.intervened = true;
    state.status = "ending";
    state.held = false;
    state.question = null;
    const outcome = action === "overrun" ? "limit-overrun" : action === "decline" ? "declined" : "stopped";
    state.stop = { ...notBegun(boundary), outcome, raises: action === "raise" };
    return { ...state.stop };
  }

  /** One more is really sent or executed. A stop: it is one too many, and the run must end at once. */
  overrun(what: keyof AuditState, limit: "turns" | "steps"): Stop | undefined {
    const { audit } = this.#budgets;
    if (this.#state.status === "idle" || !audit.isOneTooMany(what)) return undefined;
    const max = this.#budgets[limit]?.max ?? "unlimited";
    return this.end({ limit, identity: { kind: limit }, used: audit.countOf(what), max }, "overrun");
  }

  /** A call does not run, or is cut off. */
  refuse<Kind extends "refuse" | "synthesize">(
    kind: Kind,
    boundary: Boundary,
    worded: (boundary: Boundary) => string,
  ): Boundary & { kind: Kind; reason: string } {
    this.#state.intervened = true;
    return { ...boundaryAlone(boundary), kind, reason: worded(boundary) };
  }

  set waiting(waiting: boolean) {
    this.#state.waiting = waiting;
  }
}
