import type { AgentContext, AgentTool, AgentToolResult } from "@earendil-works/pi-agent-core";
import type { GovernedRuns } from "../shared/GovernedRuns.ts";

type Given = Parameters<AgentTool["execute"]>;

/** Tools that run under the limits, made out of the agents' own, which stay as they are. */
export class GovernedTools {
  readonly #runs: GovernedRuns;
  readonly #onCut: () => void;
  readonly #governed = new WeakMap<AgentTool, AgentTool>();
  readonly #underWay = new Set<string>();

  /** `onCut`: tool calls do not run to their end. */
  constructor(runs: GovernedRuns, onCut: () => void) {
    this.#runs = runs;
    this.#onCut = onCut;
  }

  /** The context with governed tools. */
  within(context: AgentContext): AgentContext {
    const { tools = [] } = context;
    const areGoverned = tools.every((tool) => this.#governed.get(tool) === tool);
    return areGoverned ? context : { ...context, tools: tools.map((tool) => this.#of(tool)) };
  }

  #of(tool: AgentTool): AgentTool {
    const known = this.#governed.get(tool);
    if (known) return known;
    const execute = (...given: Given) => this.#execute(tool, given);
    const governed: AgentTool = Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, { execute });
    this.#governed.set(tool, governed);
    this.#governed.set(governed, governed);
    return governed;
  }

  async #execute(tool: AgentTool, [id, args, signal, onUpdate]: Given): Promise<AgentToolResult> {
    // A hook of the agent's own may have wrapped a governed tool.
    if (this.#underWay.has(id)) return tool.execute(id, args, signal, onUpdate);
    const cut = new AbortController();
    const both = signal ? AbortSignal.any([signal, cut.signal]) : cut.signal;
    let ended: PromiseSettledResult<AgentToolResult> | undefined;
    this.#underWay.add(id);
    try {
      const seen = await this.#runs.execute({ id, tool: tool.name, args }, async () => {
        ended = await settled(() => tool.execute(id, args, both, onUpdate));
        return shown(ended);
      });
      if (ended?.status === "fulfilled") return ended.value;
      if (ended) throw ended.reason;
      const reason = new Error(String(seen));
      cut.abort(reason);
      this.#onCut();
      throw reason;
    } finally {
      this.#underWay.delete(id);
    }
  }
}

async function settled<T>(work: () => Promise<T>): Promise<PromiseSettledResult<T>> {
  const [ended] = await Promise.allSettled([work()]);
  return ended;
}

/** What the model gets to see: by that it is known whether a call has the same result again. */
function shown(ended: PromiseSettledResult<AgentToolResult>): unknown[] {
  return ended.status === "fulfilled" ? [ended.value.content] : ["failed", String(ended.reason)];
}
