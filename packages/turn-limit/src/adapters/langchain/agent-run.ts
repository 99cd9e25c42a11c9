import { type Runtime, ToolMessage } from "langchain";
import { z } from "zod";
import type { AdapterOptions } from "../../driver/adapter-options.ts";
import { type Admission, Driver } from "../../driver/driver.ts";
import { abortReason, untilAborted } from "../../driver/until-aborted.ts";
import type { Executed } from "../../driver/work.ts";
import { limitError, type Stop } from "../../governor/decision.ts";
import type { Outcome } from "../../governor/outcome.ts";
import type { Failure } from "../../governor/run.ts";
import type { StepCall } from "../../limits/repeated-calls.ts";
import { PausableClock } from "./pausable-clock.ts";

/** What the limits add to the state of an agent. */
export const stateSchema = z.object({
  turnLimitOutcome: z.any().optional() as z.ZodOptional<z.ZodType<Outcome>>,
});

/** A turn that may begin. */
export type Admitted = Exclude<Admission, Stop>;

/** A driver that recognises repeats by the content of a result: the message around it is a new one each time. */
class MessageDriver extends Driver {
  override stepEnded(call: StepCall, result: unknown): void {
    super.stepEnded(call, ToolMessage.isInstance(result) ? result.content : result);
  }
}

/** One run of an agent, together with the agents that its tools run under the same limits. */
export class AgentRun {
  readonly driver: Driver;
  readonly #path: string;
  readonly #clock: PausableClock;
  readonly #admitted = new Map<string, Admitted>();
  // Agents whose next request is the last one again.
  readonly #repeating = new Set<string>();
  // The ids of the calls that were executed in the turn of each agent.
  readonly #executed = new Map<string, Set<string>>();
  readonly #callsCut = new AbortController();
  #hooks = 0;

  constructor(options: AdapterOptions, runtime: Runtime) {
    this.#clock = new PausableClock(options.clock);
    this.driver = new MessageDriver({ ...options, clock: this.#clock });
    this.#path = pathOf(runtime);
  }

  get isOver(): boolean {
    return this.driver.outcome !== undefined;
  }

  /** A hook begins. The time since the last one counts, unless the run was resumed in between. */
  enter(): void {
    this.#hooks += 1;
    if (this.#hooks > 1) return;
    // Not the driver's method, with which that time would not count.
    this.driver.governor.waiting(false);
    this.#clock.unpause();
  }

  /** A hook is over. Only the next one shows whether the run works until then, or waits for a person. */
  leave(): void {
    this.#hooks -= 1;
    if (this.#hooks > 0 || this.isOver) return;
    this.#clock.pause();
    this.driver.waiting(true);
  }

  /** The run goes on in another invocation: since the last hook it waited for a person. */
  resume(): void {
    this.driver.waiting(false);
  }

  /** Admits an agent's next turn. `undefined`: the agent must end. */
  async admit(runtime: Runtime): Promise<Admitted | undefined> {
    this.#repeating.delete(pathOf(runtime));
    this.#executed.delete(pathOf(runtime));
    const admission = this.#isNested(runtime)
      ? await this.driver.admitSubAgentTurn(runtime.signal)
      : await this.driver.admitTurn(runtime.signal);
    return admission.kind === "stop" ? undefined : admission;
  }

  /** Keeps what was decided about an agent's next request until the request is made. */
  keep(runtime: Runtime, admitted: Admitted): void {
    this.#admitted.set(pathOf(runtime), admitted);
  }

  take(runtime: Runtime): Admitted | undefined {
    const admitted = this.#admitted.get(pathOf(runtime));
    this.#admitted.delete(pathOf(runtime));
    return admitted;
  }

  /** A request is being sent. The signal is aborted to cut it off. */
  send(runtime: Runtime): AbortSignal {
    const { driver } = this;
    if (!this.#repeating.delete(pathOf(runtime))) driver.requestSent();
    return this.#isNested(runtime) ? AbortSignal.any([driver.signal, this.#callsCut.signal]) : driver.signal;
  }

  /** A request got no answer. It may be made again: after an interrupt, or by middleware further out. */
  unanswered(runtime: Runtime, admitted: Admitted, error: unknown): void {
    this.keep(runtime, admitted);
    this.#repeating.add(pathOf(runtime));
    if (isInterrupt(error)) return;
    this.driver.turnEnded(failureOf(error));
    // LangGraph aborts the node if the request is not made again.
    if (!this.#isNested(runtime))
      runtime.signal?.addEventListener("abort", () => this.driver.end(), { once: true });
  }

  /** The result of a tool call, or why it was cut off. Made again after an interrupt or a failure it is the same call. */
  async execute<Result>(
    runtime: Runtime,
    call: StepCall,
    run: () => Promise<Result>,
  ): Promise<Executed<Result>> {
    if (this.#isFirst(runtime, call)) {
      const executed = await this.driver.execute(call, run);
      if (executed.kind === "cut-off") this.#callsCut.abort();
      return executed;
    }
    const { signal } = this.driver;
    const executed = await untilAborted<Executed<Result>, Executed<Result>>(
      signal,
      run().then((result) => ({ kind: "result", result })),
      () => ({ kind: "cut-off", reason: abortReason(signal) }),
    );
    this.driver.stepEnded(call, executed.kind === "result" ? executed.result : executed.reason);
    return executed;
  }

  /** The agent is done: how the run ended, if it did. Throws the error of a limit that raises. */
  finish(runtime: Runtime): Outcome | undefined {
    if (this.#isNested(runtime)) return undefined;
    const { stop } = this.driver.governor.view;
    const outcome = this.driver.end();
    const error = stop && limitError(stop);
    if (error) throw error;
    return outcome;
  }

  // A call without an id matches no other.
  #isFirst(runtime: Runtime, { id }: StepCall): boolean {
    if (id === undefined) return true;
    const ids = this.#executed.get(pathOf(runtime)) ?? new Set();
    this.#executed.set(pathOf(runtime), ids);
    return ids.size < ids.add(id).size;
  }

  #isNested(runtime: Runtime): boolean {
    return pathOf(runtime) !== this.#path;
  }
}

/** Does the run only pause here, to be resumed? */
export function isInterrupt(error: unknown): boolean {
  return error instanceof Error && "is_bubble_up" in error;
}

/** The graphs around the node that a hook runs in, the outermost first. */
function pathOf({ configurable }: Runtime): string {
  const nodes = String(configurable?.checkpoint_ns ?? "").split("|");
  return nodes.slice(0, -1).join("|");
}

function failureOf(error: unknown): Failure {
  return error instanceof Error && error.name === "AbortError" ? "aborted" : "failed";
}
