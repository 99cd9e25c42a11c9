import type { ToolCall } from "@langchain/core/messages";
import { ToolMessage, type WrapModelCallHook, type WrapToolCallHook } from "langchain";
import { eitherSignal } from "../shared/hosted-agent.ts";
import { withMethod } from "../shared/with-method.ts";
import type { AgentLoop } from "./agent-loop.ts";
import type { stateSchema } from "./agent-state.ts";
import { toldToTheModel } from "./errors.ts";
import { hasOwnTask } from "./turn-calls.ts";

type ToolHook = WrapToolCallHook<typeof stateSchema>;
type ModelHook = WrapModelCallHook<typeof stateSchema>;

/** Makes a tool call, if the limits admit it. */
export async function callTool(
  loop: AgentLoop,
  request: Parameters<ToolHook>[0],
  handler: Parameters<ToolHook>[1],
): Promise<Awaited<ReturnType<ToolHook>>> {
  const { toolCall, runtime, tool } = request;
  const { graph } = loop;
  const signal = new ToolSignal();
  try {
    graph.toolRuns(tool);
    const executed = await loop.call(request, async (cutOff) => {
      const isWatched = tool && (cutOff || !graph.raisesToolErrors);
      try {
        return await handler(isWatched ? { ...request, tool: signal.of(tool, cutOff) } : request);
      } catch (error) {
        const isRaised = graph.raisesToolErrors || signal.isAborted;
        throw isRaised ? error : toldToTheModel(error, toolCall);
      }
    });
    const result = executed.kind === "result" ? executed.result : refusal(toolCall, tool, executed.reason);
    if (hasOwnTask(request) && ToolMessage.isInstance(result))
      loop.returned(isReturnedDirectly(tool) && result.status !== "error");
    return result;
  } catch (error) {
    loop.callFailed(runtime, error, signal.isAborted ? "aborted" : "failed");
    throw error;
  }
}

function isReturnedDirectly(tool: object | undefined): boolean {
  return tool !== undefined && "returnDirect" in tool && tool.returnDirect === true;
}

// A refusal is no answer. LangChain before 1.5.14 takes whatever has the name of a tool that returns directly for one.
function refusal({ id = "", name }: ToolCall, tool: object | undefined, content: string): ToolMessage {
  const named = isReturnedDirectly(tool) ? {} : { name };
  return new ToolMessage({ content, tool_call_id: id, ...named, status: "error" });
}

/** The signal that LangChain gives to a tool. */
class ToolSignal {
  #given: AbortSignal | undefined;

  /** The tool, whose calls are aborted by this signal, too. */
  of<Tool extends object>(tool: Tool, cutOff: AbortSignal | undefined): Tool {
    if (!isInvokable(tool)) return tool;
    const invoke: Invokable["invoke"] = (input, config) => {
      this.#given = config?.signal;
      if (!cutOff) return tool.invoke(input, config);
      return tool.invoke(input, { ...config, signal: eitherSignal(config?.signal, cutOff) });
    };
    return withMethod<Tool & Invokable, "invoke">(tool, "invoke", invoke as (Tool & Invokable)["invoke"]);
  }

  /** Was it aborted? With the signal that the agent was made with, which no hook sees, or with that of the invocation. */
  get isAborted(): boolean {
    return this.#given?.aborted === true;
  }
}

interface Invokable {
  invoke(input: unknown, config?: { signal?: AbortSignal }): Promise<unknown>;
}

function isInvokable(tool: object): tool is Invokable {
  return "invoke" in tool && typeof tool.invoke === "function";
}

/** A tool that no agent has. */
const UNKNOWN_TOOL = { lc_runnable: true, name: "turn-limit-unknown-tool" };

/** The limits' hook around tool calls. */
export class ToolCallHook {
  readonly #hook: ToolHook;
  #isHidden = false;

  constructor(hook: ToolHook) {
    this.#hook = hook;
  }

  /** The hook, as LangChain finds it. */
  get hook(): ToolHook | undefined {
    return this.#isHidden ? undefined : this.#hook;
  }

  /**
   * Does other middleware of the agent wrap tool calls, too? Nobody says so. But LangChain refuses a request with a tool
   * that the agent does not have, unless there is such middleware: so it is given one, while this hook is out of sight.
   */
  async isOneOfSeveral(
    request: Parameters<ModelHook>[0],
    handler: Parameters<ModelHook>[1],
  ): Promise<boolean> {
    const accepted = new Error("Only the tools of this request are there to be read.");
    // It cannot be made: if its tools are accepted, whatever is read next throws.
    const unmakeable = new Proxy(request, {
      get(_, key) {
        if (key === "tools") return [UNKNOWN_TOOL];
        throw accepted;
      },
    });
    const refusal = this.#whileHidden(async () => handler(unmakeable));
    return (await refusal.catch((error: unknown) => error)) === accepted;
  }

  // The tools are looked at before anything is awaited.
  #whileHidden<Result>(look: () => Result): Result {
    this.#isHidden = true;
    try {
      return look();
    } finally {
      this.#isHidden = false;
    }
  }
}
