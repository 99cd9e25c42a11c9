import { requireCall } from "../core/governor/arguments.ts";
import type { Engine } from "../core/governor/engine.ts";
import type { Boundary } from "../core/limits/boundary.ts";
import type { StepCall } from "../core/limits/repeated-calls.ts";
import { notRun } from "../core/words.ts";
import { Call, type Refused } from "./call.ts";
import type { Deadline } from "./deadline.ts";
import type { Reservation } from "./shared-budgets.ts";
import type { SharedPort } from "./shared-port.ts";
import type { Work } from "./work.ts";

/** What the model reads as the result of a call that comes after the end of its run. */
export const RUN_IS_OVER = "Not run: the run is over.";

/** Decides whether tool calls may run. */
export class CallGate {
  readonly #engine: Engine;
  readonly #deadline: Deadline;
  readonly #shared: SharedPort;
  readonly #comparable: ((result: unknown) => unknown) | undefined;

  constructor(
    engine: Engine,
    deadline: Deadline,
    shared: SharedPort,
    comparable?: (result: unknown) => unknown,
  ) {
    this.#engine = engine;
    this.#deadline = deadline;
    this.#shared = shared;
    this.#comparable = comparable;
  }

  /** Whether the call may run. Has to be awaited only if the run draws from a pool that counts calls. */
  admit(call: StepCall, work: Work): Call | Refused | Promise<Call | Refused> {
    if (work.isOver) return refused(RUN_IS_OVER);
    const { budgets } = this.#shared;
    if (!budgets?.limitsCalls) return this.#decide(call, work);
    return budgets.inTurn(async () => {
      this.#deadline.tellTime();
      const reservation = await budgets.reserveCall(call.tool);
      const gate = reservation ? undefined : this.#closedGate;
      if (gate) return refused(notRun(gate));
      // The run may have ended meanwhile: the call is no step of the next one.
      const decided = work.isOver ? refused(RUN_IS_OVER) : this.#decide(call, work, reservation);
      if (decided.kind === "refused") await reservation?.release();
      return decided;
    });
  }

  /** A call that was admitted and begun before the run was saved. */
  again(call: StepCall, work: Work): Call {
    return this.#call(call, work, undefined, true);
  }

  /** A call that is executed although nobody asked. */
  unadmitted(call: StepCall, work: Work): Call {
    return this.#call(call, work, undefined, false);
  }

  /** Counts a call that another process ran. */
  record({ tool, args }: StepCall, result: unknown, work: Work): void {
    if (work.isOver) return;
    const id = crypto.randomUUID();
    if (this.#engine.beforeStep({ id, tool, args }).kind !== "proceed") return;
    this.#engine.stepExecuted();
    this.#engine.stepEnded({ id, result });
  }

  #decide(call: StepCall, work: Work, reservation?: Reservation): Call | Refused {
    this.#deadline.tellTime();
    const decision = this.#engine.beforeStep(requireCall(call, this.#engine.needs("calls")));
    if (decision.kind !== "proceed") return refused(decision.reason);
    return this.#call(call, work, reservation, false);
  }

  #call(call: StepCall, work: Work, reservation: Reservation | undefined, wasExecuted: boolean): Call {
    return new Call({
      call,
      engine: this.#engine,
      deadline: this.#deadline,
      shared: this.#shared,
      work,
      reservation,
      comparable: this.#comparable,
      wasExecuted,
    });
  }

  // Why a pool grants nothing, other than that nothing is left.
  get #closedGate(): Boundary | undefined {
    return this.#engine.view.standings.find(({ limit, why }) => why !== undefined && this.#shared.has(limit));
  }
}

function refused(reason: string): Refused {
  return { kind: "refused", reason };
}
