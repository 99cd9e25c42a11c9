import type { Runtime } from "langchain";
import type { Stop } from "../../governor/Decision.ts";
import type { Outcome } from "../../governor/Outcome.ts";
import type { Mishap } from "../../governor/RequestStatus.ts";
import type { AdapterOptions } from "../shared/AdapterOptions.ts";
import { type Admission, errorOf, GovernedRuns } from "../shared/GovernedRuns.ts";

/** A turn that may begin. */
export type Admitted = Exclude<Admission, Stop>;

/** One run of an agent, together with the agents that its tools run under the same limits. */
export class AgentRun extends GovernedRuns {
  readonly #path: string;
  readonly #admitted = new Map<string, Admitted>();

  constructor(options: AdapterOptions, path: string) {
    super(options);
    this.#path = path;
  }

  get isOver(): boolean {
    return this.outcome !== undefined;
  }

  /** `undefined`: the agent must end. The tools-free last turn is for the agent that a person prompted. */
  async admit(runtime: Runtime): Promise<Admitted | undefined> {
    if (this.#isNested(runtime) && this.governor.exhausted) return undefined;
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

  /** A request got no answer. Middleware further out may make it again; LangGraph aborts the node if none does. */
  fail(runtime: Runtime, admitted: Admitted, mishap: Mishap): void {
    this.turnEnded(mishap);
    this.keep(runtime, admitted);
    if (!this.#isNested(runtime)) runtime.signal?.addEventListener("abort", () => this.end(), { once: true });
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
