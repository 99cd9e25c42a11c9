import { type Boundary, boundaryAlone, type Max } from "../limits/boundary.ts";
import { lastTurnMessage, wrapUpByTool } from "../limits/last-turn.ts";
import type { Action } from "../limits/policy.ts";
import { hasRoom, softLimit, wrapUpMessage } from "../limits/wrap-up.ts";
import type { AuditState } from "./audit.ts";
import type { Budget } from "./budget.ts";
import type { Budgets } from "./budgets.ts";
import type { Reached } from "./decide.ts";
import { type Ask, type CheckProgress, notBegun, type Stop, type Synthesize } from "./decision.ts";
import { DeniableCalls } from "./deniable-calls.ts";
import { OpenRequests } from "./open-requests.ts";
import { Requests } from "./requests.ts";
import { IDLE, type RequestKind, type RunState, type SavedRunState, type Synthesis } from "./run-state.ts";

/** The run under way, if there is one: where it stands, and how it goes on or ends. */
export class RunMachine {
  readonly #budgets: Budgets;
  readonly #state: RunState;
  readonly #open: OpenRequests;
  readonly requests: Requests;
  readonly deniable: DeniableCalls;
  /** What the host last said of the final tool. */
  hostsFinalTool: string | false | undefined;

  constructor(
    budgets: Budgets,
    { deniable = [], open = [], ...state }: RunState & Partial<SavedRunState> = IDLE,
  ) {
    this.deniable = new DeniableCalls(deniable);
    this.#budgets = budgets;
    this.#state = state;
    this.#open = new OpenRequests(open);
    this.requests = new Requests(budgets, this.#state, this.#open);
    // A host that asked in the middle of a turn is gone after a restore, and will ask again.
    if (state.status !== "asking") this.#state.question = null;
    // Saved during a question, and there is no person any more to answer it.
    if (!budgets.settings.canAsk) this.release();
  }

  get state(): Readonly<RunState> {
    return this.#state;
  }

  toState(): SavedRunState {
    return { ...this.#state, open: this.#open.toState(), deniable: this.deniable.toState() };
  }

  /** What the next request is, if the host does not say. */
  get nextKind(): RequestKind {
    return this.#state.request === "retry-due" ? "retry" : "turn";
  }

  /** Is it at its end: stopped, or with one last answer to make? */
  get isEnding(): boolean {
    return this.#state.stop !== null || this.#state.synthesis !== null;
  }

  /** The tool with which the agent gives its answer, if it has one. */
  get finalTool(): string | undefined {
    const { hostsFinalTool } = this;
    return hostsFinalTool === undefined ? this.#budgets.settings.finalTool : hostsFinalTool || undefined;
  }

  /** Does a call of this tool give the answer? Once in the last turn. */
  isAnswer(tool: string | undefined): boolean {
    const { stop, synthesis, delivered, status } = this.#state;
    if (tool === undefined || stop || status === "asking") return false;
    if (synthesis) return synthesis.begun && tool === synthesis.finalTool && !delivered;
    return tool === this.finalTool;
  }

  /** The call that gives the answer may begin; or it did not run, or failed. */
  set delivered(delivered: boolean) {
    this.#state.delivered = delivered;
  }

  /** Does it wait for a person? */
  get waitsForPerson(): boolean {
    const { question, waiting } = this.#state;
    return waiting || (question !== null && question.turns === undefined);
  }

  /** Is the tools-free turn due because the time is up, and has it not begun? */
  get isLastTurnDueByTime(): boolean {
    const { status, synthesis } = this.#state;
    return status === "running" && synthesis?.byTime === true && !synthesis.begun;
  }

  /** Milliseconds until the time is up, if the turn under way takes that long. */
  get timeLeft(): number | undefined {
    const { status, question, waiting } = this.#state;
    const isWatched = status === "running" && !question && !waiting && !this.isLastTurnDueByTime;
    return isWatched ? this.#budgets.shortestTime?.left : undefined;
  }

  /** The same for what is done between turns. */
  get timeForWork(): number | undefined {
    return this.#budgets.shortestTime?.left;
  }

  open(): void {
    const { status, questions, wrapUpSent, admissions } = this.#state;
    // Work that is under way when a prompt comes stays admitted.
    if (status === "idle") this.#budgets.audit.newRun();
    this.#budgets.opened = this.#budgets.meter.read();
    const kept = { questions, earlierQuestions: questions, wrapUpSent, admissions, extensions: [] };
    Object.assign(this.#state, IDLE, kept, { status: "running" });
    this.#open.clear();
    this.deniable.clear();
  }

  close(): void {
    const { status, question, held, waiting, delivered, synthesis, stop } = IDLE;
    Object.assign(this.#state, { status, question, held, waiting, delivered, synthesis, stop });
    this.#open.clear();
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
    const message = wrapUpByTool(wrapUpMessage(this.#budgets.settings.turns.wrapUp), this.finalTool);
    state.wrapUpRequested = false;
    state.wrapUpSent = state.wrapUpSentInRun = state.intervened = true;
    return message;
  }

  // Is so little left that the model has to wrap up?
  get #isShort(): boolean {
    const budgets = this.#budgets;
    if (budgets.isShort) return true;
    const { grace, wrapUp } = budgets.settings.turns;
    const { max } = budgets.lists.turns;
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
    const { finalTool } = this;
    state.synthesis = { ...boundary, begun: true, ...(finalTool !== undefined && { finalTool }) };
    state.status = "running";
    state.question = null;
    state.intervened = true;
    this.requests.begin("synthesis");
    return this.lastTurn(state.synthesis);
  }

  /** What the model gets in the tools-free turn. */
  lastTurn(synthesis: Boundary & { finalTool?: string }): Synthesize {
    const { finalTool } = synthesis;
    const message = lastTurnMessage(this.#budgets.settings.synthesisMessage, finalTool);
    const last: Synthesize = { ...boundaryAlone(synthesis), kind: "synthesize", message };
    return finalTool === undefined ? last : { ...last, finalTool };
  }

  /**
   * A person is asked, or the host whether the run got somewhere. A turn is held meanwhile, unless it is `midTurn`.
   */
  ask({ budget, boundary: reached, action }: Reached, midTurn: boolean): Ask | CheckProgress {
    const state = this.#state;
    const isCheck = action === "extend";
    const { question } = state;
    // A limit that is waited for by now is not asked about again.
    const isWaitedFor = question?.budget === budget.name && question.waits !== undefined;
    const boundary = action === "wait" || isWaitedFor ? { ...reached, waits: budget.waits } : reached;
    // About the same limit it is the same question.
    if (question?.budget !== budget.name || (question.turns !== undefined) !== isCheck) state.questions += 1;
    const asked = { ...boundary, id: state.questions };
    const turns = this.#budgets.meter.current.turns - budget.since.turns;
    state.question = { ...asked, budget: budget.name, ...(isCheck && { turns }) };
    if (!isCheck) state.intervened = true;
    const ask = isCheck
      ? ({ ...asked, kind: "check-progress", turns } as const)
      : ({ ...asked, ...roundOf(budget, boundary), kind: "ask" } as const);
    if (midTurn) return { ...ask, midTurn };
    state.status = "asking";
    state.held = true;
    // The host wants the next turn, so the one before it is over, whether or not it was reported.
    if (state.request === "in-flight") state.request = "answered";
    return ask;
  }

  /** The run got somewhere, so a limit was extended. */
  extended({ limit, identity }: Boundary, what: string | undefined): void {
    const state = this.#state;
    const before = state.extensions.find((one) => one.limit === limit);
    const times = (before?.times ?? 0) + 1;
    const extended = { limit, identity, times, ...(what !== undefined && { what }) };
    state.extensions = [...state.extensions.filter((one) => one !== before), extended];
    state.intervened = true;
    this.newRound();
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
    const max = this.#budgets.lists[limit]?.max ?? "unlimited";
    return this.end({ limit, identity: { kind: limit }, used: audit.countOf(what), max }, "overrun");
  }

  /** Would one more, if it is sent or executed now, be one too many? */
  wouldOverrun(what: keyof AuditState): boolean {
    return this.#state.status !== "idle" && this.#budgets.audit.wouldBeOneTooMany(what);
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

function roundOf({ round }: Budget, { max }: Boundary): { round?: Max } {
  return round === undefined || round === max ? {} : { round };
}
