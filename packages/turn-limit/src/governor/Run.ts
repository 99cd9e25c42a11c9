import { Audit } from "./Audit.ts";
import { type Activity, counts } from "./counting.ts";
import type {
  Ask,
  Boundary,
  Proceed,
  Refuse,
  RefuseAndSynthesize,
  Stop,
  Synthesize,
  WrapUp,
} from "./Decision.ts";
import type { GovernorState, RunStatus } from "./GovernorState.ts";
import type { LimitSet } from "./LimitSet.ts";
import { afterMishap, isWanted, type Mishap, type RequestStatus } from "./RequestStatus.ts";
import { emptyTally } from "./RunTally.ts";
import { type Synthesis, synthesize } from "./Synthesis.ts";
import { addUsage, type Usage } from "./Usage.ts";
import { refusal } from "./wording.ts";

export const PROCEED: Proceed = Object.freeze({ kind: "proceed" });

/** What a {@link Run} knows, as plain data. */
export type RunState = Pick<
  GovernorState,
  | "status"
  | "request"
  | "tally"
  | "usage"
  | "activity"
  | "synthesis"
  | "stop"
  | "question"
  | "asked"
  | "held"
  | "waiting"
  | "audit"
>;

/** The run under way, or that there is none: where it stands, what it took, and how it goes on or ends. */
export class Run {
  readonly #limits: LimitSet;
  readonly #synthesisMessage: string;
  readonly #audit: Audit;
  status: RunStatus = "idle";
  /** The tools-free last turn, once it is due. */
  synthesis: Synthesis | null = null;
  /** The decision that is ending the run. */
  stop: Stop | null = null;
  /** Where the limit stands that a person is being asked about. */
  question: Boundary | null = null;
  /** The limit, or group, that the question is about. */
  asked: string | null = null;
  /** Did the host say that a person is being waited for? */
  waiting = false;
  #held = false;
  #request: RequestStatus = "none";
  #tally = emptyTally();
  #usage: Usage | null = null;
  #activity: Activity = "turn";

  constructor(limits: LimitSet, synthesisMessage: string, state?: RunState) {
    this.#limits = limits;
    this.#synthesisMessage = synthesisMessage;
    this.#audit = new Audit(state?.audit);
    if (!state) return;
    this.status = state.status;
    this.synthesis = state.synthesis;
    this.stop = state.stop;
    this.question = state.question;
    this.asked = state.asked;
    this.#held = state.held;
    this.waiting = state.waiting;
    this.#request = state.request;
    this.#tally = { ...state.tally };
    this.#usage = state.usage;
    this.#activity = state.activity;
  }

  /** Is the next request the last one once more? */
  get repeatsRequest(): boolean {
    return this.#request === "retry-due";
  }

  /** Does a turn wait to be decided, perhaps for a question that is over? */
  get isHeld(): boolean {
    return this.#held;
  }

  /** Did the last answer come without a word about what it took, and did so all before it? */
  get isUnreported(): boolean {
    return this.#request === "answered" && this.#usage === null;
  }

  /** A run that took no turn has no evidence to answer from. */
  get hasNothingToTell(): boolean {
    return this.#tally.turns === 0;
  }

  /** Does time count, and is it not yet known that it is up? */
  get isTimed(): boolean {
    return this.status === "running" && !this.isWaiting && !this.isDueByTime;
  }

  /** Is the tools-free turn due because the time is up, and has it not begun? */
  get isDueByTime(): boolean {
    return this.status === "running" && this.synthesis?.limit === "time" && !this.synthesis.begun;
  }

  /** Is a person being waited for? */
  get isWaiting(): boolean {
    return this.question !== null || this.waiting;
  }

  open(): void {
    // What is under way when a prompt comes is still admitted.
    if (this.status === "idle") this.#audit.newRun();
    this.close();
    this.status = "running";
    this.#request = "none";
    this.#tally = emptyTally();
    this.#usage = null;
  }

  close(): void {
    this.status = "idle";
    this.synthesis = null;
    this.stop = null;
    this.#forgetQuestion();
    this.waiting = false;
    this.#held = false;
  }

  /** A turn begins, which the turn limit covers unless a person let it begin `beyond` it. */
  begin(wrapUp: string | undefined, beyond = false): Proceed | WrapUp {
    if (beyond) this.#audit.exempted("requests");
    else this.#audit.admitted("requests", this.#limits.turns.maxInForce);
    this.#send(this.repeatsRequest ? "retry" : "turn");
    return wrapUp === undefined ? PROCEED : { kind: "wrap-up", message: wrapUp };
  }

  /** The last request is made again. */
  beginAgain(): Proceed | Synthesize {
    this.#audit.exempted("requests");
    this.#send("retry");
    return this.synthesis ? synthesize(this.synthesis, this.#synthesisMessage) : PROCEED;
  }

  /** The tools-free turn begins. It has a round of time of its own, and no more. */
  beginLast(boundary: Boundary): Synthesize {
    this.#limits.restartTime();
    this.status = "running";
    this.synthesis = { ...boundary, begun: true };
    this.#forgetQuestion();
    this.touch();
    this.#audit.exempted("requests");
    this.#send("synthesis");
    return synthesize(this.synthesis, this.#synthesisMessage);
  }

  /** A tool call begins. */
  step(): Proceed {
    this.#tally.steps += 1;
    this.#audit.admitted("calls", this.#limits.steps.max);
    return PROCEED;
  }

  /** A limit has made itself felt. */
  touch(): void {
    this.#tally.touched = true;
  }

  /** The next turn is held while a person is asked. */
  hold(boundary: Boundary, asked: string): Ask {
    this.status = "asking";
    this.#held = true;
    // The host wants the next turn, so the one before it is over, whether or not anybody said so.
    if (this.#request === "in-flight") this.#request = "answered";
    return this.ask(boundary, asked);
  }

  /** A person is asked. */
  ask(boundary: Boundary, asked: string): Ask {
    this.touch();
    this.question = boundary;
    this.asked = asked;
    return { ...boundary, kind: "ask" };
  }

  /** The question is over; a held turn can be decided. */
  release(): void {
    this.#forgetQuestion();
    if (this.status === "asking") this.status = "running";
  }

  refuse<K extends "refuse" | "synthesize">(kind: K, { limit, used, max }: Boundary, worded = refusal) {
    this.touch();
    return { kind, limit, used, max, reason: worded({ limit, used, max }) };
  }

  /** Out of budget in the middle of a turn: the tools-free one is next. */
  synthesizeNext(boundary: Boundary): RefuseAndSynthesize {
    this.synthesis = { ...boundary, begun: false };
    return this.refuse("synthesize", boundary);
  }

  /** Out of budget in the middle of a turn: what is under way must not go on, and nothing comes after it. */
  cutOff(boundary: Boundary, outcome: Stop["outcome"]): Refuse {
    return this.refuse("refuse", this.end(boundary, outcome));
  }

  end({ limit, used, max, unpriced }: Boundary, outcome: Stop["outcome"]): Stop {
    this.status = "ending";
    this.#held = false;
    this.touch();
    this.#forgetQuestion();
    this.stop = { kind: "stop", limit, used, max, ...(unpriced && { unpriced }), outcome };
    return this.stop;
  }

  /** The turn in flight ended. */
  turnEnded(mishap: Mishap | undefined): void {
    if (this.status !== "running") return;
    if (mishap) {
      this.#request = afterMishap(this.#request, mishap);
    } else if (isWanted(this.#request)) {
      this.#request = "answered";
      this.#limits.turns.complete();
    }
  }

  /** The last answer was thrown away, and will be asked for again. */
  turnDiscarded(): void {
    if (this.status !== "running" || this.#request !== "answered") return;
    this.#request = "retry-due";
    this.#limits.turns.uncomplete();
  }

  /** The turn in flight took this. */
  answered(usage: Usage): void {
    this.#spend(this.#activity, usage);
  }

  /** The run did something else that took this. */
  spend(activity: Activity, usage: Usage): void {
    if (this.status !== "idle") this.#countTurn(activity);
    this.#spend(activity, usage);
  }

  #spend(activity: Activity, usage: Usage): void {
    if (this.status === "idle") return;
    this.#usage = addUsage(this.#usage, usage);
    this.#limits.spending.answer(activity, usage);
  }

  timeIs(now: number): void {
    const activity = this.status === "idle" ? undefined : this.isWaiting ? "waiting" : this.#activity;
    const passed = this.#limits.spending.timeIs(now, activity);
    if (activity) this.#tally.time = (this.#tally.time ?? 0) + passed;
  }

  /** One more was really done. A stop: it is one too many. */
  audit(what: "requests" | "calls", { limit, max }: Boundary): Stop | undefined {
    if (this.status === "idle" || !this.#audit.isOneTooMany(what)) return undefined;
    return this.end({ limit, used: this.#audit.countOf(what), max }, "limit-overrun");
  }

  /** What is counted a second time starts over too. */
  auditRestarts(what: "requests" | "calls"): void {
    this.#audit.restart(what);
  }

  toJSON(): RunState {
    return {
      status: this.status,
      request: this.#request,
      tally: { ...this.#tally },
      usage: this.#usage,
      activity: this.#activity,
      synthesis: this.synthesis,
      stop: this.stop,
      question: this.question,
      asked: this.asked,
      held: this.#held,
      waiting: this.waiting,
      audit: this.#audit.toJSON(),
    };
  }

  #send(activity: Activity): void {
    this.#activity = activity;
    this.#held = false;
    this.#countTurn(activity);
    if (activity !== "retry") this.#limits.budgets.repeats?.turnBegins();
    this.#request = "in-flight";
  }

  #forgetQuestion(): void {
    this.question = null;
    this.asked = null;
  }

  #countTurn(activity: Activity): void {
    const { turns, spending } = this.#limits;
    if (!counts(activity, "turns")) return;
    if (turns.used === 0 || this.#tally.rounds === 0) this.#tally.rounds += 1;
    turns.begin();
    spending.turn();
    this.#tally.turns += 1;
  }
}
