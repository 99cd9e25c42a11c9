import type { Runtime } from "langchain";
import type { AgentRun } from "./agent-run.ts";

/**
 * The runs of one invocation: one, or several where an outer graph runs agents. LangGraph keeps what stands for an
 * invocation for as long as the caller keeps its signal, so a run that is over must not be kept by it.
 */
export class InvocationRuns {
  readonly #underWay = new Set<AgentRun>();
  #over: WeakRef<AgentRun>[] = [];

  add(run: AgentRun): void {
    this.#underWay.add(run);
    run.onOver(() => {
      this.#underWay.delete(run);
      this.#over = [...this.#over.filter((known) => known.deref()), new WeakRef(run)];
    });
  }

  /** The run that a hook belongs to: that of its own agent, or of the one whose tool runs its agent. */
  of(runtime: Runtime): AgentRun | undefined {
    let nearest: { run: AgentRun; depth: number } | undefined;
    const over = this.#over.map((known) => known.deref());
    for (const run of [...over, ...this.#underWay]) {
      const depth = run?.depthOf(runtime);
      if (run && depth !== undefined && depth <= (nearest?.depth ?? depth)) nearest = { run, depth };
    }
    return nearest?.run;
  }
}
