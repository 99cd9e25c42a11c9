import { requireFields } from "../core/checks.ts";
import type { LimitExceeded } from "../core/errors/limit-exceeded.ts";
import { requireFailure } from "../core/governor/checks.ts";
import type { Proceed, Stop, Synthesize, WrapUp } from "../core/governor/decision.ts";
import type { Failure, RequestKind } from "../core/governor/run-state.ts";
import type { Boundary } from "../core/limits/boundary.ts";
import type { StepCall } from "../core/limits/repeated-calls.ts";
import type { Model } from "../core/meter/model.ts";
import type { Usage } from "../core/meter/usage.ts";
import { type AnsweredCall, admitCall, Call, type Refused, recordCall } from "./call.ts";
import type { ObservedTurn, TurnEnd } from "./observer.ts";
import type { RunServices } from "./services.ts";
import type { Reservation, WindowUse } from "./shared-budgets.ts";
import type { AgentKind, Work } from "./work.ts";

/** The turn must not begin. `error`: what the host's call must reject with, if the limit raises. */
export interface TurnStop extends Stop {
  readonly error: LimitExceeded | undefined;
}

/** What an answer took, and which model gave it, as far as the host knows. */
export interface TurnAnswer {
  usage?: Usage | undefined;
  model?: Model | undefined;
  /** What it told of the windows of a subscription: for pools with a `plan`. */
  windows?: readonly WindowUse[] | undefined;
}

const ANSWER_FIELDS = ["usage", "model", "windows"];

/** The turns of an agent in a run: how many have begun, and how many of them are under way. */
export interface TurnOrder {
  begun: number;
  underWay: number;
}

/** What a turn is: of which run and which agent, and what its request is. */
export interface TurnFacts {
  readonly work: Work;
  readonly agent: AgentKind;
  readonly as: RequestKind;
  /** The turns of the agent so far. Left out of requests besides the turns. */
  readonly order?: TurnOrder | undefined;
}

/** What a turn was admitted with. */
export interface Admitted {
  readonly decision: Proceed | WrapUp | Synthesize;
  /** Its number. `undefined`: its request is not known here. */
  readonly admission?: number | undefined;
  /** What shared budgets granted for it. */
  readonly reservation?: Reservation | undefined;
  /** Did its request fail before the run was saved? */
  readonly hasFailed?: boolean;
}

/**
 * A turn that may begin, and the only way to say what became of it. Used twice, late, or after its run ended, it changes
 * nothing.
 *
 * @example
 * const turn = await run.nextTurn({ signal });
 * if (turn.kind === "stop") return;
 * turn.sent();
 * const answer = await model(messages, tools.filter(({ name }) => turn.offers(name)), turn.message);
 * turn.answered({ usage: answer.usage });
 */
export class Turn {
  readonly kind = "turn";
  /** What it is: a new turn, the same request once more, or a request besides the turns. */
  readonly as: RequestKind;
  readonly #services: RunServices;
  readonly #work: Work;
  readonly #agent: AgentKind;
  readonly #admitted: Admitted;
  readonly #order: TurnFacts["order"];
  readonly #number: number;
  /** Did it begin while none of its agent was under way? What fails among several at once says nothing of the next one. */
  readonly wasAlone: boolean;
  readonly #observed: ObservedTurn | undefined;
  #phase: "admitted" | "sent" | "answered" | "failed" | "cancelled" | "abandoned";

  constructor(services: RunServices, { work, agent, as, order }: TurnFacts, admitted: Admitted) {
    this.as = as;
    this.#services = services;
    this.#work = work;
    this.#agent = agent;
    this.#admitted = admitted;
    if (order) order.begun += 1;
    this.#order = order;
    this.#number = order?.begun ?? 0;
    this.wasAlone = (order?.underWay ?? 0) === 0;
    if (order && admitted.admission !== undefined) order.underWay += 1;
    this.#phase = admitted.hasFailed ? "failed" : "admitted";
    const { observation } = services;
    if (!observation || admitted.admission === undefined) return;
    this.#observed = { as, agent };
    observation.tell("turnBegan", this.#observed, work.info);
  }

  /**
   * What the model has to be told in this request, besides the conversation and after all of it: {@link directive}, and then
   * {@link told}.
   */
  get message(): string | undefined {
    return joinedTexts(this.directive, this.told);
  }

  /** What it has to be told to do: to wrap up, or to answer without tools. */
  get directive(): string | undefined {
    const { decision } = this.#admitted;
    return decision.kind === "proceed" ? undefined : decision.message;
  }

  /** What it is told of what it has left, if that is due: one line, as the last thing in this request and in no other. */
  get told(): string | undefined {
    const { decision } = this.#admitted;
    return decision.kind === "synthesize" ? undefined : decision.told;
  }

  /** Is the model offered its tools? Not in the last turn. */
  get tools(): boolean {
    return this.#admitted.decision.kind !== "synthesize";
  }

  /** In the last turn, the one tool that is offered: the one with which the agent gives its answer, if it has one. */
  get finalTool(): string | undefined {
    const { decision } = this.#admitted;
    return decision.kind === "synthesize" ? decision.finalTool : undefined;
  }

  /** Is the model offered this tool? */
  offers(tool: string): boolean {
    return this.tools || tool === this.finalTool;
  }

  /** Which limit made this the last, tools-free turn. */
  get lastBecauseOf(): Boundary | undefined {
    const { decision } = this.#admitted;
    return decision.kind === "synthesize" ? decision : undefined;
  }

  /** Did its request fail, or was its answer thrown away, so that the next one is the same once more? */
  get isToBeRetried(): boolean {
    return this.#phase === "failed" || (this.#phase === "abandoned" && this.as === "retry");
  }

  /** Is its run over? Then it changes nothing any more. */
  get isOver(): boolean {
    return this.#work.isOver;
  }

  /** Aborted when the run must end in the middle of the request. To be put beside the caller's own signal. */
  get signal(): AbortSignal {
    return this.#work.signalOf(this.#agent);
  }

  /** Is {@link signal} aborted? */
  get isAborted(): boolean {
    return this.#work.isAborted(this.#agent);
  }

  /** The request is really being sent. One more than was admitted ends the run at once: then it says which limit did. */
  sent(): Stop | undefined {
    if (this.isOver) return undefined;
    if (this.#phase === "admitted") this.#phase = "sent";
    const stop = this.#services.engine.turns.sent(this.#admitted.admission);
    if (stop) this.#work.overrun(stop);
    return stop;
  }

  /**
   * Is it one more than the limits admit, by the second count? For a host that says only later whether a request was sent,
   * and can be held back before: {@link sent} ends the run then.
   */
  get wouldOverrun(): boolean {
    return !this.isOver && this.#phase === "admitted" && this.#services.engine.turns.wouldOverrun;
  }

  /** The request was answered. Throws `InvalidLimit` for bad numbers, and changes nothing then. */
  answered(answer: TurnAnswer = {}): void {
    this.#end("answered", answer, undefined);
  }

  /**
   * The request got no answer: it failed and may be made again, also by the host itself, or a person or program cancelled
   * it. The next turn of the same agent is then this one once more: it counts for `requests`, and not as a turn.
   */
  failed(failure: Failure = "failed", answer: TurnAnswer = {}): void {
    requireFailure(failure, "failed");
    this.#end(failure === "failed" ? "failed" : "cancelled", answer, failure);
  }

  /** The host threw the answer away and asks for it again, for example after a compaction. */
  discarded(): void {
    if (this.#phase !== "answered" || this.isOver || this.#isFollowed) return;
    this.#phase = "failed";
    this.#services.engine.run.requests.discarded();
  }

  /** The turn does not begin after all: nothing was sent. What it took is given back. */
  abandon(): void {
    const services = this.#services;
    const { engine, question, shared } = services;
    const { admission, reservation } = this.#admitted;
    if (this.#phase !== "admitted" || this.isOver || admission === undefined) return;
    this.#phase = "abandoned";
    if (this.#order) this.#order.underWay -= 1;
    engine.turns.abandoned(admission);
    if (this.#observed) services.observation?.tell("turnAbandoned", this.#observed, this.#work.info);
    // What a person is being asked about may be left again.
    question.withdrawIfClosed();
    shared.release(reservation);
  }

  /**
   * A tool call of its answer, in the model's order: whether it may run. To be awaited only if the run draws from a pool
   * that counts calls.
   */
  call(call: AnsweredCall = {}): Call | Refused | Promise<Call | Refused> {
    return admitCall(this.#services, this.#work, call, this.#mayAnswer);
  }

  /** A call of its answer that was admitted and begun before the run was saved: it is still the same step. */
  callAgain(call: StepCall): Call {
    return new Call(this.#services, this.#work, call, { wasExecuted: true });
  }

  /** A call that the host executes although nobody asked whether it may run: the second count notices. */
  unadmittedCall(call: StepCall): Call {
    return new Call(this.#services, this.#work, call);
  }

  /** Counts a call of its answer that another process ran. Pools know of it. */
  recordCall(call: StepCall, result: unknown): void {
    recordCall(this.#services, this.#work, call, result, this.#mayAnswer);
  }

  /** A person wants the agent to wrap up: it is told before its next turn, if it takes one. Is there a run to wrap up? */
  requestWrapUp(): boolean {
    return !this.isOver && this.#services.engine.run.requestWrapUp();
  }

  /** The turn is over and another one will follow: what the model has to be told before it, if anything. */
  takeWrapUp(): string | undefined {
    return this.isOver ? undefined : this.#services.engine.turns.takeWrapUp();
  }

  /** The turn is over and no other will follow by itself: what the host does after that is not cut off. */
  rest(): void {
    if (this.isOver) return;
    this.#services.deadline.rest();
    this.#services.settlements.leave();
  }

  // The answer of an agent that works for another one is not that of the run.
  get #mayAnswer(): boolean {
    return this.#agent === "prompted";
  }

  #tellEnd(end: TurnEnd): void {
    const { observation } = this.#services;
    if (this.#observed) observation?.tell("turnEnded", this.#observed, end, this.#work.info);
  }

  // Has its agent begun another turn? Then it no longer matters what becomes of this one after its answer.
  get #isFollowed(): boolean {
    return this.#order !== undefined && this.#order.begun > this.#number;
  }

  #end(phase: "answered" | "failed" | "cancelled", answer: TurnAnswer, failure: Failure | undefined): void {
    requireFields(answer, "answer", ANSWER_FIELDS);
    const { usage, model, windows } = answer;
    const { engine, pricing, shared } = this.#services;
    // Of an answer that failed it is not known whether it would have told of them.
    if (windows && (windows.length > 0 || phase === "answered")) shared.read(windows);
    const { admission, reservation } = this.#admitted;
    const isUnderWay = this.#phase === "admitted" || this.#phase === "sent";
    // The calls of its answer belong to the turn, and may fail or be cancelled, too. So may the wait for it to be made
    // again. Then it is not.
    const failsLate =
      failure !== undefined &&
      !this.#isFollowed &&
      (this.#phase === "answered" || (this.#phase === "failed" && failure === "aborted"));
    if (this.isOver || !(isUnderWay || failsLate)) return;
    engine.tellTimeWithinTurn();
    const priced = usage === undefined ? undefined : pricing.priced(usage, model);
    const end = { as: this.as, failure, admission: failsLate ? undefined : admission };
    engine.run.requests.ended(end, priced);
    this.#phase = failsLate ? "cancelled" : phase;
    if (isUnderWay && admission !== undefined && this.#order) this.#order.underWay -= 1;
    reservation?.end();
    if (isUnderWay) this.#tellEnd({ usage: priced, model, failure });
    pricing.warnIfUnpriced(engine.facts);
  }
}

/** Two texts for the model as one, if there are any. */
export function joinedTexts(...texts: (string | undefined)[]): string | undefined {
  return texts.filter(Boolean).join("\n\n") || undefined;
}
