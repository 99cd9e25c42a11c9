import type { Engine } from "../core/governor/engine.ts";
import type { StepCall } from "../core/limits/repeated-calls.ts";
import { notRunAnymore } from "../core/words.ts";
import type { Deadline } from "./deadline.ts";
import type { Reservation } from "./shared-budgets.ts";
import type { SharedPort } from "./shared-port.ts";
import type { Executed, Work } from "./work.ts";

/** A tool call that must not run, and why, for the model to read. */
export interface Refused {
  readonly kind: "refused";
  readonly reason: string;
}

/** Runs a tool call, with the signal that is aborted when it is cut off, if it may be. */
export type RunCall<Result> = (cutOff: AbortSignal | undefined) => PromiseLike<Result> | Result;

/** What a tool call was admitted with. */
export interface AdmittedCall {
  readonly call: StepCall;
  readonly engine: Engine;
  readonly deadline: Deadline;
  readonly shared: SharedPort;
  readonly work: Work;
  readonly reservation?: Reservation | undefined;
  /** What repeats are recognised by, if not by the whole result. */
  readonly comparable?: ((result: unknown) => unknown) | undefined;
  /** Was it executed before the run was saved? */
  readonly wasExecuted?: boolean;
}

/**
 * A tool call that may run, and the way to say what became of it. Used late, or after its run ended, it changes nothing.
 *
 * @example
 * const executed = await call.execute((signal) => tool(args, signal));
 */
export class Call {
  readonly kind = "call";
  readonly #admitted: AdmittedCall;
  #phase: "admitted" | "executed" | "ended" | "denied";

  constructor(admitted: AdmittedCall) {
    this.#admitted = admitted;
    this.#phase = admitted.wasExecuted ? "executed" : "admitted";
  }

  /**
   * Runs it: its result, or why it was cut off, if the time is up before it has one. With a time limit, `run` is given a
   * signal, which is aborted then for the same reason. Made again, because it waited for a person or is retried, it is
   * still the same step.
   */
  async execute<Result>(run: RunCall<Result>): Promise<Executed<Result>> {
    const { work, engine } = this.#admitted;
    if (this.#phase === "admitted" && !work.cutOffBy) {
      const reason = this.#begin();
      if (reason !== undefined) return { kind: "cut-off", reason };
    }
    // Admitted before the time was up, and too late to begin.
    if (work.cutOffBy) return { kind: "cut-off", reason: notRunAnymore(work.cutOffBy) };
    const cut = engine.view.timeLeft === undefined ? undefined : new AbortController();
    try {
      const executed = await work.call(run(cut?.signal));
      if (executed.kind === "cut-off") cut?.abort(new Error(executed.reason));
      this.ended(executed.kind === "result" ? executed.result : executed.reason);
      return executed;
    } catch (error) {
      // An error is a result too: the model reads it, and repeats are recognised by it.
      this.ended(String(error));
      throw error;
    }
  }

  /** It is really being executed, where the host does that. One more than was admitted ends the run at once. */
  executed(): void {
    if (this.#phase === "admitted") this.#begin();
  }

  /** It has its result, by which repeats are recognised. */
  ended(result: unknown): void {
    const { engine, deadline, work, call, comparable } = this.#admitted;
    if (this.#phase === "denied" || work.isOver) return;
    this.#phase = "ended";
    deadline.tellTime();
    engine.stepEnded({ id: call.id, result: comparable ? comparable(result) : result });
  }

  /** It does not run after all: a person, or a rule of the host, denied it. It takes no step. */
  denied(): void {
    const { engine, shared, work, call, reservation } = this.#admitted;
    if (this.#phase === "ended" || this.#phase === "denied" || work.isOver) return;
    this.#phase = "denied";
    if (call.id === undefined) return;
    const before = engine.view.totals.steps;
    engine.stepDenied({ id: call.id });
    if (engine.view.totals.steps < before) shared.release(reservation);
  }

  // Why it must not be executed, if it is one too many.
  #begin(): string | undefined {
    const { engine, work } = this.#admitted;
    this.#phase = "executed";
    const stop = work.isOver ? undefined : engine.stepExecuted();
    return stop && work.overrun(stop);
  }
}
