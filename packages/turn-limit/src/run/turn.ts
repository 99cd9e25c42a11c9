import { requireFields } from "../core/checks.ts";
import type { LimitExceeded } from "../core/errors/limit-exceeded.ts";
import { requireFailure } from "../core/governor/arguments.ts";
import type { Proceed, Stop, Synthesize, WrapUp } from "../core/governor/decision.ts";
import type { Failure, RequestKind } from "../core/governor/run.ts";
import type { Boundary } from "../core/limits/boundary.ts";
import type { StepCall } from "../core/limits/repeated-calls.ts";
import type { Model } from "../core/meter/model.ts";
import type { Usage } from "../core/meter/usage.ts";
import { admitCall, Call, type Refused, recordCall } from "./call.ts";
import type { RunServices } from "./services.ts";
import type { Reservation } from "./shared-budgets.ts";
import type { AgentKind, Work } from "./work.ts";

/** The turn must not begin. `error`: what the host's call must reject with, if the limit raises. */
export interface TurnStop extends Stop {
  readonly error: LimitExceeded | undefined;
}

/** What an answer took, and which model gave it, as far as the host knows. */
export interface TurnAnswer {
  usage?: Usage | undefined;
  model?: Model | undefined;
}

/** What a turn is: of which run and which agent, and what its request is. */
export interface TurnFacts {
  readonly work: Work;
  readonly agent: AgentKind;
  readonly as: RequestKind;
  /** How many turns the agent has begun, this one included. Left out of requests besides the turns. */
  readonly order?: { begun: number } | undefined;
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
 * const answer = await model(messages, turn.tools ? tools : [], turn.message);
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
    this.#phase = admitted.hasFailed ? "failed" : "admitted";
  }

  /** What the model has to be told in this request, besides the conversation. */
  get message(): string | undefined {
    const { decision } = this.#admitted;
    return decision.kind === "proceed" ? undefined : decision.message;
  }

  /** Is the model offered tools? Not in the last, tools-free turn. */
  get tools(): boolean {
    return this.#admitted.decision.kind !== "synthesize";
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

  /** The request is really being sent. One more than was admitted ends the run at once: then it says which limit did. */
  sent(): Stop | undefined {
    if (this.isOver) return undefined;
    if (this.#phase === "admitted") this.#phase = "sent";
    const stop = this.#services.engine.turns.sent(this.#admitted.admission);
    if (stop) this.#work.overrun(stop);
    return stop;
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
    const { engine, question, shared } = this.#services;
    const { admission, reservation } = this.#admitted;
    if (this.#phase !== "admitted" || this.isOver || admission === undefined) return;
    this.#phase = "abandoned";
    engine.turns.abandoned(admission);
    // What a person is being asked about may be left again.
    question.withdrawIfClosed();
    shared.release(reservation);
  }

  /**
   * A tool call of its answer, in the model's order: whether it may run. To be awaited only if the run draws from a pool
   * that counts calls.
   */
  call(call: StepCall = {}): Call | Refused | Promise<Call | Refused> {
    return admitCall(this.#services, this.#work, call);
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
    recordCall(this.#services, this.#work, call, result);
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

  // Has its agent begun another turn? Then it no longer matters what becomes of this one after its answer.
  get #isFollowed(): boolean {
    return this.#order !== undefined && this.#order.begun > this.#number;
  }

  #end(phase: "answered" | "failed" | "cancelled", answer: TurnAnswer, failure: Failure | undefined): void {
    requireFields(answer, "answer", ["usage", "model"]);
    const { usage, model } = answer;
    const { engine, pricing } = this.#services;
    const { admission, reservation } = this.#admitted;
    const isUnderWay = this.#phase === "admitted" || this.#phase === "sent";
    // The calls of its answer belong to the turn, and may fail or be cancelled, too. So may the wait for it to be made
    // again. Then it is not.
    const failsLate =
      failure !== undefined &&
      !this.#isFollowed &&
      (this.#phase === "answered" || (this.#phase === "failed" && failure === "aborted"));
    if (this.isOver || !(isUnderWay || failsLate)) return;
    engine.tellTime();
    const priced = usage === undefined ? undefined : pricing.priced(usage, model);
    const end = { as: this.as, failure, admission: failsLate ? undefined : admission };
    engine.run.requests.ended(end, priced);
    this.#phase = failsLate ? "cancelled" : phase;
    reservation?.end();
    pricing.warnIfUnpriced(engine.view);
  }
}
