import { requireCall } from "../core/governor/checks.ts";
import type { StepCall } from "../core/limits/repeated-calls.ts";
import { notRun, notRunAnymore } from "../core/words.ts";
import type { ObservedCall } from "./observer.ts";
import type { RunServices } from "./services.ts";
import type { Reservation } from "./shared-budgets.ts";
import type { Executed, Work } from "./work.ts";

/** A tool call that must not run, and why, for the model to read. */
export interface Refused {
  readonly kind: "refused";
  readonly reason: string;
}

/** A tool call of an answer. */
export interface AnsweredCall extends StepCall {
  /** What the model calls it, where `id` is another. */
  modelId?: string | undefined;
}

/** Runs a tool call, with the signal that is aborted when it is cut off, if it may be. */
export type RunCall<Result> = (cutOff: AbortSignal | undefined) => PromiseLike<Result> | Result;

/** What the model reads as the result of a call that comes after the end of its run. */
export const RUN_IS_OVER = "Not run: the run is over.";

const WAS_DENIED = "Not run: the call was denied.";

/**
 * Whether the call may run. Has to be awaited only if the run draws from a pool that counts calls. `mayAnswer`: it is of the
 * agent that was prompted, whose final tool gives the answer of the run.
 */
export function admitCall(
  services: RunServices,
  work: Work,
  call: AnsweredCall,
  mayAnswer: boolean,
): Call | Refused | Promise<Call | Refused> {
  if (work.isOver) return refused(RUN_IS_OVER);
  const { engine, shared } = services;
  const { budgets } = shared;
  if (mayAnswer && engine.calls.isAnswer(call)) return decide(services, work, identified(call), true);
  if (!budgets?.limitsCalls) return decide(services, work, call, false);
  return budgets.inTurn(async () => {
    engine.tellTime();
    const reservation = await budgets.reserveCall(call.tool);
    // Why a pool grants nothing, other than that nothing is left.
    const gate = engine.facts.standings.find(({ limit, why }) => why !== undefined && shared.has(limit));
    if (!reservation && gate) return refused(notRun(gate));
    // The run may have ended meanwhile: the call is no step of the next one.
    const decided = work.isOver ? refused(RUN_IS_OVER) : decide(services, work, call, false, reservation);
    if (decided.kind === "refused") await reservation?.release();
    return decided;
  });
}

/** Counts a call that another process ran. */
export function recordCall(
  { engine }: RunServices,
  work: Work,
  { tool, args }: StepCall,
  result: unknown,
  mayAnswer: boolean,
): void {
  if (work.isOver) return;
  const id = crypto.randomUUID();
  if (engine.calls.before({ id, tool, args }, mayAnswer).kind !== "proceed") return;
  engine.calls.executed();
  engine.calls.ended(id, result);
}

function decide(
  services: RunServices,
  work: Work,
  call: AnsweredCall,
  mayAnswer: boolean,
  reservation?: Reservation,
): Call | Refused {
  const { engine } = services;
  engine.tellTimeWithinTurn();
  const decision = engine.calls.before(requireCall(call, engine), mayAnswer);
  if (decision.kind !== "proceed") return refused(decision.reason);
  return new Call(services, work, call, { reservation, isAnswer: decision.isAnswer });
}

/** Whether it failed has to be said of it later. */
function identified(call: AnsweredCall): AnsweredCall {
  return call.id === undefined ? { ...call, id: crypto.randomUUID() } : call;
}

function refused(reason: string): Refused {
  return { kind: "refused", reason };
}

/** What is known of a call that may run. */
interface AdmittedCall {
  /** What shared budgets granted for it. */
  readonly reservation?: Reservation | undefined;
  /** Was it executed before the run was saved? */
  readonly wasExecuted?: boolean;
  readonly isAnswer?: boolean | undefined;
}

/**
 * A tool call that may run, and the way to say what became of it. Used late, or after its run ended, it changes nothing.
 *
 * @example
 * const executed = await call.execute((signal) => tool(args, signal));
 */
export class Call {
  readonly kind = "call";
  /** Is it a call of the final tool, which gives the answer, and no step? */
  readonly isAnswer: boolean;
  readonly #services: RunServices;
  readonly #work: Work;
  readonly #call: AnsweredCall;
  readonly #reservation: Reservation | undefined;
  #observed: ObservedCall | undefined;
  #phase: "admitted" | "executed" | "ended" | "denied";

  constructor(services: RunServices, work: Work, call: AnsweredCall, admitted: AdmittedCall = {}) {
    const { reservation, wasExecuted, isAnswer = false } = admitted;
    this.isAnswer = isAnswer;
    this.#services = services;
    this.#work = work;
    this.#call = call;
    this.#reservation = reservation;
    this.#phase = wasExecuted ? "executed" : "admitted";
  }

  /**
   * Runs it: its result, or why it was cut off, if the time is up before it has one. With a time limit, `run` is given a
   * signal, which is aborted then for the same reason. Made again, because it waited for a person or is retried, it is
   * still the same step. One that was denied does not run: that is why it was cut off.
   */
  async execute<Result>(run: RunCall<Result>): Promise<Executed<Result>> {
    const work = this.#work;
    if (this.#phase === "denied") return { kind: "cut-off", reason: WAS_DENIED };
    if (this.#phase === "admitted" && !work.cutOffBy) {
      const reason = this.#begin();
      if (reason !== undefined) return { kind: "cut-off", reason };
    }
    // Admitted before the time was up, and too late to begin.
    if (work.cutOffBy) return { kind: "cut-off", reason: notRunAnymore(work.cutOffBy) };
    const cut = this.#services.engine.facts.timeLeft === undefined ? undefined : new AbortController();
    try {
      const executed = await work.call(run(cut?.signal));
      if (executed.kind === "cut-off") cut?.abort(new Error(executed.reason));
      if (executed.kind === "result") this.ended(executed.result);
      else this.ended(executed.reason, true);
      return executed;
    } catch (error) {
      // An error is a result too: the model reads it, and repeats are recognised by it.
      this.ended(String(error), true);
      throw error;
    }
  }

  /**
   * It is really being executed, where the host does that. One more than was admitted ends the run at once, and so does one
   * that was denied.
   */
  executed(): void {
    if (this.#phase === "admitted" || this.#phase === "denied") this.#begin();
  }

  /**
   * It has its result, by which repeats are recognised. `failed`: it is an error, and so no answer, even if it does not look
   * like one.
   */
  ended(result: unknown, failed = false): void {
    const { engine, comparable, isError } = this.#services;
    if (this.#phase === "denied" || this.#work.isOver) return;
    this.#phase = "ended";
    if (this.#observed) this.#services.observation?.tell("callEnded", this.#observed, this.#work.info);
    this.#observed = undefined;
    engine.tellTimeWithinTurn();
    engine.calls.ended(this.#call.id, comparable ? comparable(result) : result, failed || isError?.(result));
  }

  /** It does not run after all: a person, or a rule of the host, denied it. It takes no step. */
  denied(): void {
    const { engine, shared, observation } = this.#services;
    const { id } = this.#call;
    if (this.#phase === "ended" || this.#phase === "denied" || this.#work.isOver) return;
    this.#phase = "denied";
    if (this.#observed) observation?.tell("callDenied", this.#observed, this.#work.info);
    this.#observed = undefined;
    if (id === undefined) return;
    const before = engine.facts.totals.steps;
    engine.calls.denied(id);
    if (engine.facts.totals.steps < before) shared.release(this.#reservation);
  }

  // Why it must not be executed, if it is one too many.
  #begin(): string | undefined {
    this.#phase = "executed";
    const { observation } = this.#services;
    if (observation && !this.#work.isOver) {
      const { id, modelId = id, tool } = this.#call;
      this.#observed = { id: modelId, tool };
      observation.tell("callBegan", this.#observed, this.#work.info);
    }
    const stop = this.#work.isOver ? undefined : this.#services.engine.calls.executed();
    return stop && this.#work.overrun(stop);
  }
}
