import { type Runtime, ToolMessage } from "langchain";
import type { Stop } from "../../governor/Decision.ts";
import type { Outcome } from "../../governor/Outcome.ts";
import type { Mishap } from "../../governor/RequestStatus.ts";
import type { StepCall } from "../../limits/RepeatTracker.ts";
import type { AdapterOptions } from "../shared/AdapterOptions.ts";
import { type Admission, errorOf, GovernedRuns } from "../shared/GovernedRuns.ts";
import { untilAborted } from "../shared/untilAborted.ts";
import { ExecutedCalls } from "./ExecutedCalls.ts";
import { WatchedClock } from "./WatchedClock.ts";

/** A turn that may begin. */
export type Admitted = Exclude<Admission, Stop>;

/** One run of an agent, together with the agents that its tools run under the same limits. */
export class AgentRun extends GovernedRuns {
  readonly #path: string;
  readonly #admitted = new Map<string, Admitted>();
  readonly #sent = new Set<string>();
  readonly #executed = new ExecutedCalls();
  readonly #callsCut = new AbortController();
  readonly #clock: WatchedClock;
  #hooks = 0;

  constructor(options: AdapterOptions, path: string) {
    const clock = new WatchedClock(options.clock);
    super({ ...options, clock });
    this.#clock = clock;
    this.#path = path;
  }

  get isOver(): boolean {
    return this.outcome !== undefined;
  }

  /** A hook begins. Since the last one the run has worked, unless it goes on in another invocation. */
  enter(): void {
    this.#hooks += 1;
    if (this.#hooks > 1) return;
    this.governor.waiting = false;
    this.#clock.watched = true;
  }

  /** A hook is over. Whether the run works until the next one, or waits for a person, shows only then. */
  leave(): void {
    this.#hooks -= 1;
    if (this.#hooks > 0 || this.isOver) return;
    this.#clock.watched = false;
    this.waiting = true;
  }

  /** The run goes on in another invocation: until now a person was waited for. */
  resume(): void {
    this.waiting = false;
  }

  /** `undefined`: the agent must end. The tools-free last turn is for the agent that a person prompted. */
  async admit(runtime: Runtime): Promise<Admitted | undefined> {
    if (this.#isNested(runtime) && (this.governor.exhausted || this.#callsCut.signal.aborted))
      return undefined;
    this.#sent.delete(pathOf(runtime));
    this.#executed.clear(pathOf(runtime));
    const admission = await this.admitTurn(runtime.signal);
    return admission.kind === "stop" ? undefined : admission;
  }

  /** Keeps what was decided on an agent's next request until the request is made. */
  keep(runtime: Runtime, admitted: Admitted): void {
    this.#admitted.set(pathOf(runtime), admitted);
  }

  take(runtime: Runtime): Admitted | undefined {
    const admitted = this.#admitted.get(pathOf(runtime));
    this.#admitted.delete(pathOf(runtime));
    return admitted;
  }

  /** A request is being sent, unless it is the same one again. What is returned is aborted to cut it off. */
  send(runtime: Runtime): AbortSignal {
    if (!this.#sent.delete(pathOf(runtime))) this.requestSent();
    return this.#isNested(runtime) ? AbortSignal.any([this.cutOff, this.#callsCut.signal]) : this.cutOff;
  }

  /** A request got no answer, and will be made again. */
  again(runtime: Runtime, admitted: Admitted): void {
    this.keep(runtime, admitted);
    this.#sent.add(pathOf(runtime));
  }

  /** A request failed. Middleware further out may make it again; LangGraph aborts the node if none does. */
  fail(runtime: Runtime, admitted: Admitted, mishap: Mishap): void {
    this.turnEnded(mishap);
    this.again(runtime, admitted);
    if (!this.#isNested(runtime)) runtime.signal?.addEventListener("abort", () => this.end(), { once: true });
  }

  /** The result of a tool call, or why it was cut off. Made again, after an interrupt or a failure, it is the same call. */
  async call<Result>(runtime: Runtime, call: StepCall, run: () => Promise<Result>): Promise<Result | string> {
    if (!this.#executed.add(pathOf(runtime), call.id)) {
      const result = await untilAborted(this.cutOff, run());
      this.stepEnded(call, result);
      return result;
    }
    let over = false;
    const result = await this.execute(call, () =>
      run().finally(() => {
        over = true;
      }),
    );
    if (!over) this.#callsCut.abort();
    return result;
  }

  override stepEnded(call: StepCall, result: unknown): void {
    super.stepEnded(call, ToolMessage.isInstance(result) ? result.content : result);
  }

  /** The agent is done: how the run ended, if it did. Throws when a step limit that raises has ended it. */
  finish(runtime: Runtime): Outcome | undefined {
    if (this.#isNested(runtime)) return undefined;
    const { stop } = this.governor;
    const outcome = this.end();
    const error = stop && errorOf(stop);
    if (error) throw error;
    return outcome;
  }

  #isNested(runtime: Runtime): boolean {
    return pathOf(runtime) !== this.#path;
  }
}

/** The graphs around the node that a hook runs in, from the outermost on. */
export function pathOf({ configurable }: Runtime): string {
  const nodes = String(configurable?.checkpoint_ns ?? "").split("|");
  return nodes.slice(0, -1).join("|");
}
