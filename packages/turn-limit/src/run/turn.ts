import { requireFields } from "../core/checks.ts";
import type { LimitExceeded } from "../core/errors/limit-exceeded.ts";
import { requireFailure } from "../core/governor/arguments.ts";
import {
  limitError,
  type Proceed,
  type Stop,
  type Synthesize,
  type WrapUp,
} from "../core/governor/decision.ts";
import type { Engine } from "../core/governor/engine.ts";
import type { Failure, RequestKind } from "../core/governor/run.ts";
import type { Boundary } from "../core/limits/boundary.ts";
import type { StepCall } from "../core/limits/repeated-calls.ts";
import type { Model } from "../core/meter/model.ts";
import type { Usage } from "../core/meter/usage.ts";
import type { Call, Refused } from "./call.ts";
import type { CallGate } from "./call-gate.ts";
import type { Deadline } from "./deadline.ts";
import type { Pricing } from "./pricing.ts";
import type { Question } from "./question.ts";
import type { Reservation } from "./shared-budgets.ts";
import type { SharedPort } from "./shared-port.ts";
import type { Work } from "./work.ts";

/** The turn must not begin. `error`: what the host's call must reject with, if the limit raises. */
export interface TurnStop extends Stop {
  readonly error: LimitExceeded | undefined;
}

export function turnStop(stop: Stop): TurnStop {
  return { ...stop, error: limitError(stop) };
}

/** What an answer took, and which model gave it, as far as the host knows. */
export interface TurnAnswer {
  usage?: Usage | undefined;
  model?: Model | undefined;
}

/** What a turn was admitted with. */
export interface AdmittedTurn {
  readonly decision: Proceed | WrapUp | Synthesize;
  readonly as: RequestKind;
  readonly engine: Engine;
  readonly deadline: Deadline;
  readonly pricing: Pricing;
  readonly question: Question;
  readonly calls: CallGate;
  readonly shared: SharedPort;
  readonly work: Work;
  /** Its number. `undefined`: its request is not known here. */
  readonly admission: number | undefined;
  readonly reservation?: Reservation | undefined;
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
  readonly #admitted: AdmittedTurn;
  #phase: "admitted" | "sent" | "answered" | "failed" | "cancelled" | "abandoned" = "admitted";

  constructor(admitted: AdmittedTurn) {
    this.#admitted = admitted;
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

  /** What it is: a new turn, the same request once more, or a request besides the turns. */
  get as(): RequestKind {
    return this.#admitted.as;
  }

  /** Did its request fail, or was its answer thrown away, so that the next one is the same once more? */
  get isToBeRetried(): boolean {
    return this.#phase === "failed" || (this.#phase === "abandoned" && this.as === "retry");
  }

  /** Aborted when the run must end in the middle of the request. */
  get signal(): AbortSignal {
    return this.#admitted.work.signal;
  }

  /** The request is really being sent. One more than was admitted ends the run at once: then it says which limit did. */
  sent(): Stop | undefined {
    const { engine, work, admission } = this.#admitted;
    if (work.isOver) return undefined;
    if (this.#phase === "admitted") this.#phase = "sent";
    const stop = engine.requestSent(admission);
    if (stop) work.overrun(stop);
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
    const { engine, work } = this.#admitted;
    if (this.#phase !== "answered" || work.isOver) return;
    this.#phase = "failed";
    engine.turnDiscarded();
  }

  /** The turn does not begin after all: nothing was sent. What it took is given back. */
  abandon(): void {
    const { engine, question, shared, work, admission, reservation } = this.#admitted;
    if (this.#phase !== "admitted" || work.isOver || admission === undefined) return;
    this.#phase = "abandoned";
    engine.turnAbandoned({ admission });
    // What a person is being asked about may be left again.
    question.withdrawIfClosed();
    shared.release(reservation);
  }

  /**
   * A tool call of its answer, in the model's order: whether it may run. To be awaited only if the run draws from a pool
   * that counts calls.
   */
  call(call: StepCall = {}): Call | Refused | Promise<Call | Refused> {
    return this.#admitted.calls.admit(call, this.#admitted.work);
  }

  /** A call of its answer that was admitted and begun before the run was saved: it is still the same step. */
  callAgain(call: StepCall): Call {
    return this.#admitted.calls.again(call, this.#admitted.work);
  }

  /** A call that the host executes although nobody asked whether it may run: the second count notices. */
  unadmittedCall(call: StepCall): Call {
    return this.#admitted.calls.unadmitted(call, this.#admitted.work);
  }

  /** Counts a call of its answer that another process ran. Pools know of it. */
  recordCall(call: StepCall, result: unknown): void {
    this.#admitted.calls.record(call, result, this.#admitted.work);
  }

  /** The turn is over and another one will follow: what the model has to be told before it, if anything. */
  takeWrapUp(): string | undefined {
    const { engine, work } = this.#admitted;
    return work.isOver ? undefined : engine.takeWrapUp();
  }

  #end(phase: "answered" | "failed" | "cancelled", answer: TurnAnswer, failure: Failure | undefined): void {
    requireFields(answer, "answer", ["usage", "model"]);
    const { usage, model } = answer;
    const { engine, deadline, pricing, work, as, admission, reservation } = this.#admitted;
    const isUnderWay = this.#phase === "admitted" || this.#phase === "sent";
    // The calls of its answer belong to the turn, and may fail or be cancelled, too. That is not made again.
    const failsLate = this.#phase === "answered" && failure !== undefined;
    if (work.isOver || !(isUnderWay || failsLate)) return;
    deadline.tellTime();
    const priced = usage === undefined ? undefined : pricing.priced(usage, model);
    engine.turnEnded({ as, failure, usage: priced, admission: failsLate ? undefined : admission });
    this.#phase = failsLate ? "cancelled" : phase;
    reservation?.end();
    pricing.warnIfUnpriced(engine.view);
  }
}
