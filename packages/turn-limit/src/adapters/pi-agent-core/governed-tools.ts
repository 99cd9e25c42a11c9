import type { AgentContext, AgentTool, AgentToolResult } from "@earendil-works/pi-agent-core";
import type { Call } from "../../run/call.ts";
import type { Run } from "../../run/run.ts";
import { DecidedCalls } from "../shared/decided-calls.ts";
import { eitherSignal } from "../shared/hosted-agent.ts";
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
    const execute: AgentTool["execute"] = (id, args, signal, onUpdate) =>
      // A hook of the agent's own may have wrapped a governed tool.
      this.#running.has(id)
        ? tool.execute(id, args, signal, onUpdate)
        : this.#execute(id, (cutOff) => tool.execute(id, args, eitherSignal(signal, cutOff), onUpdate));
    const governed = withMethod(tool, "execute", execute);
    this.#governed.set(tool, governed).set(governed, governed);
    return governed;
  }

  async #execute(
    id: string,
    run: (cutOff: AbortSignal | undefined) => Promise<AgentToolResult>,
  ): Promise<AgentToolResult> {
    const call = this.calls.take(id) ?? this.#run.turn.unadmittedCall({ id });
    let result = {} as AgentToolResult;
    this.#running.add(id);
    try {
      const executed = await call.execute(async (cutOff) => {
        result = await run(cutOff);
        // Repeats are recognised by what the model gets to see.
        return result.content;
      });
      if (executed.kind === "result") return result;
      throw new Error(executed.reason);
    } finally {
      this.#running.delete(id);
    }
  }
}
