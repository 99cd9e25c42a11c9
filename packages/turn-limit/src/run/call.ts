import { requireCall } from "../core/governor/arguments.ts";
import type { StepCall } from "../core/limits/repeated-calls.ts";
import { notRun, notRunAnymore } from "../core/words.ts";
import type { RunServices } from "./services.ts";
import type { Reservation } from "./shared-budgets.ts";
import type { Executed, Work } from "./work.ts";

/** A tool call that must not run, and why, for the model to read. */
export interface Refused {
  readonly kind: "refused";
  readonly reason: string;
}

/** Runs a tool call, with the signal that is aborted when it is cut off, if it may be. */
export type RunCall<Result> = (cutOff: AbortSignal | undefined) => PromiseLike<Result> | Result;

/** What the model reads as the result of a call that comes after the end of its run. */
export const RUN_IS_OVER = "Not run: the run is over.";

const WAS_DENIED = "Not run: the call was denied.";

/** Whether the call may run. Has to be awaited only if the run draws from a pool that counts calls. */
export function admitCall(
  services: RunServices,
  work: Work,
  call: StepCall,
): Call | Refused | Promise<Call | Refused> {
  if (work.isOver) return refused(RUN_IS_OVER);
  const { engine, shared } = services;
  const { budgets } = shared;
  if (!budgets?.limitsCalls) return decide(services, work, call);
  return budgets.inTurn(async () => {
    engine.tellTime();
    const reservation = await budgets.reserveCall(call.tool);
    // Why a pool grants nothing, other than that nothing is left.
    const gate = engine.view.standings.find(({ limit, why }) => why !== undefined && shared.has(limit));
    if (!reservation && gate) return refused(notRun(gate));
    // The run may have ended meanwhile: the call is no step of the next one.
    const decided = work.isOver ? refused(RUN_IS_OVER) : decide(services, work, call, reservation);
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
): void {
  if (work.isOver) return;
  const id = crypto.randomUUID();
  if (engine.calls.before({ id, tool, args }).kind !== "proceed") return;
  engine.calls.executed();
  engine.calls.ended(id, result);
}

function decide(
  services: RunServices,
  work: Work,
  call: StepCall,
  reservation?: Reservation,
): Call | Refused {
  const { engine } = services;
  engine.tellTime();
  const decision = engine.calls.before(requireCall(call, engine.needs("calls")));
  if (decision.kind !== "proceed") return refused(decision.reason);
  return new Call(services, work, call, { reservation });
}

function refused(reason: string): Refused {
  return { kind: "refused", reason };
}

/**
 * A tool call that may run, and the way to say what became of it. Used late, or after its run ended, it changes nothing.
 *
 * @example
 * const executed = await call.execute((signal) => tool(args, signal));
 */
export class Call {
  readonly kind = "call";
  readonly #services: RunServices;
  readonly #work: Work;
  readonly #call: StepCall;
  readonly #reservation: Reservation | undefined;
  #phase: "admitted" | "executed" | "ended" | "denied";

  /** `reservation`: what shared budgets granted for it; `wasExecuted`: it was, before the run was saved. */
  constructor(
    services: RunServices,
    work: Work,
    call: StepCall,
    { reservation, wasExecuted }: { reservation?: Reservation | undefined; wasExecuted?: boolean } = {},
  ) {
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
    const cut = this.#services.engine.view.timeLeft === undefined ? undefined : new AbortController();
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

  /**
   * It is really being executed, where the host does that. One more than was admitted ends the run at once, and so does one
   * that was denied.
   */
  executed(): void {
    if (this.#phase === "admitted" || this.#phase === "denied") this.#begin();
  }

  /** It has its result, by which repeats are recognised. */
  ended(result: unknown): void {
    const { engine, comparable } = this.#services;
    if (this.#phase === "denied" || this.#work.isOver) return;
    this.#phase = "ended";
    engine.tellTime();
    engine.calls.ended(this.#call.id, comparable ? comparable(result) : result);
  }

  /** It does not run after all: a person, or a rule of the host, denied it. It takes no step. */
  denied(): void {
    const { engine, shared } = this.#services;
    const { id } = this.#call;
    if (this.#phase === "ended" || this.#phase === "denied" || this.#work.isOver) return;
    this.#phase = "denied";
    if (id === undefined) return;
    const before = engine.view.totals.steps;
    engine.calls.denied(id);
    if (engine.view.totals.steps < before) shared.release(this.#reservation);
  }

  // Why it must not be executed, if it is one too many.
  #begin(): string | undefined {
    this.#phase = "executed";
    const stop = this.#work.isOver ? undefined : this.#services.engine.calls.executed();
    return stop && this.#work.overrun(stop);
  }
}
