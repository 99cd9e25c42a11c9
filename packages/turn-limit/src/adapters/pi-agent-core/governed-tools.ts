import type { AgentContext, AgentTool, AgentToolResult } from "@earendil-works/pi-agent-core";
import type { Call } from "../../run/call.ts";
import type { Run } from "../../run/run.ts";
import { DecidedCalls, type Execution, executeAdmitted } from "../shared/calls.ts";
import { withMethod } from "../shared/with-method.ts";

/** Tools that run under the limits, made out of the own ones of all agents of a run, which stay as they are. */
export class GovernedTools {
  readonly #run: Run;
  /** Calls that may run. */
  readonly calls = new DecidedCalls<Call>();
  readonly #governed = new WeakMap<AgentTool, AgentTool>();
  readonly #running = new Set<string>();

  constructor(run: Run) {
    this.#run = run;
  }

  /** The context with governed tools. */
  within(context: AgentContext): AgentContext {
    const { tools = [] } = context;
    const areGoverned = tools.every((tool) => this.#governed.get(tool) === tool);
    return areGoverned ? context : { ...context, tools: tools.map((tool) => this.#govern(tool)) };
  }

  #govern(tool: AgentTool): AgentTool {
    const known = this.#governed.get(tool);
    if (known) return known;
    const execute: AgentTool["execute"] = (id, args, signal, onUpdate) => {
      const run = (own = signal) => tool.execute(id, args, own, onUpdate);
      // A hook of the agent's own may have wrapped a governed tool.
      return this.#running.has(id) ? run() : this.#execute(id, { signal, run });
    };
    const governed = withMethod(tool, "execute", execute);
    this.#governed.set(tool, governed).set(governed, governed);
    return governed;
  }

  async #execute(id: string, execution: Execution<AgentToolResult>): Promise<AgentToolResult> {
    const call = this.calls.take(id) ?? this.#run.turn.unadmittedCall({ id });
    this.#running.add(id);
    try {
      return await executeAdmitted(call, execution);
    } finally {
      this.#running.delete(id);
    }
  }
}
