import type { AgentContext, AgentTool, AgentToolResult } from "@earendil-works/pi-agent-core";
import type { Driver } from "../../driver/driver.ts";

type ExecuteArguments = Parameters<AgentTool["execute"]>;

/** Tools that run under the limits, made out of the agents' own, which stay as they are. */
export class GovernedTools {
  readonly #driver: Driver;
  readonly #onCutOff: () => void;
  readonly #governed = new WeakMap<AgentTool, AgentTool>();
  readonly #running = new Set<string>();

  /** `onCutOff` is called when a tool call does not run to its end. */
  constructor(driver: Driver, onCutOff: () => void) {
    this.#driver = driver;
    this.#onCutOff = onCutOff;
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
    const execute = (...given: ExecuteArguments) => this.#execute(tool, given);
    const governed: AgentTool = Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, { execute });
    this.#governed.set(tool, governed);
    this.#governed.set(governed, governed);
    return governed;
  }

  async #execute(tool: AgentTool, [id, args, signal, onUpdate]: ExecuteArguments): Promise<AgentToolResult> {
    // A hook of the agent's own may have wrapped a governed tool.
    if (this.#running.has(id)) return tool.execute(id, args, signal, onUpdate);
    const cutOff = new AbortController();
    const either = signal ? AbortSignal.any([signal, cutOff.signal]) : cutOff.signal;
    let result = {} as AgentToolResult;
    this.#running.add(id);
    try {
      const executed = await this.#driver.execute({ id, tool: tool.name, args }, async () => {
        result = await tool.execute(id, args, either, onUpdate);
        // Repeats are recognised by what the model gets to see.
        return result.content;
      });
      if (executed.kind === "result") return result;
      const reason = new Error(executed.reason);
      cutOff.abort(reason);
      this.#onCutOff();
      throw reason;
    } finally {
      this.#running.delete(id);
    }
  }
}
