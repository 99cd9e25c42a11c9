import type { AgentContext, AgentTool, AgentToolResult } from "@earendil-works/pi-agent-core";
import type { Call } from "../../run/call.ts";
import type { Run } from "../../run/run.ts";
import { eitherSignal } from "../shared/hosted-agent.ts";
import { withMethod } from "../shared/with-method.ts";

type Execute = AgentTool["execute"];

/** Tools that run under the limits, made out of the agents' own, which stay as they are. */
export class GovernedTools {
  readonly #run: Run;
  readonly #onCutOff: () => void;
  /** Calls that may run and have not begun. Agents at work at once may have calls with the same id. */
  readonly #calls = new Map<string, Call[]>();
  readonly #governed = new WeakMap<AgentTool, AgentTool>();
  readonly #running = new Set<string>();

  /** `onCutOff` is called when a tool call does not run to its end. */
  constructor(run: Run, onCutOff: () => void) {
    this.#run = run;
    this.#onCutOff = onCutOff;
  }

  /** The call of this id may run. */
  admitted(id: string, call: Call): void {
    const calls = this.#calls.get(id);
    if (calls) calls.push(call);
    else this.#calls.set(id, [call]);
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
    const execute: Execute = (id, args, signal, onUpdate) =>
      // A hook of the agent's own may have wrapped a governed tool.
      this.#running.has(id)
        ? tool.execute(id, args, signal, onUpdate)
        : this.#execute(id, (cutOff) => tool.execute(id, args, eitherSignal(signal, cutOff), onUpdate));
    const governed = withMethod(tool, "execute", execute);
    this.#governed.set(tool, governed);
    this.#governed.set(governed, governed);
    return governed;
  }

  async #execute(
    id: string,
    run: (cutOff: AbortSignal | undefined) => Promise<AgentToolResult>,
  ): Promise<AgentToolResult> {
    let result = {} as AgentToolResult;
    this.#running.add(id);
    try {
      const executed = await this.#take(id).execute(async (cutOff) => {
        result = await run(cutOff);
        // Repeats are recognised by what the model gets to see.
        return result.content;
      });
      if (executed.kind === "result") return result;
      this.#onCutOff();
      throw new Error(executed.reason);
    } finally {
      this.#running.delete(id);
    }
  }

  #take(id: string): Call {
    const [call, ...others] = this.#calls.get(id) ?? [];
    if (others.length > 0) this.#calls.set(id, others);
    else this.#calls.delete(id);
    return call ?? this.#run.turn.unadmittedCall({ id });
  }
}
