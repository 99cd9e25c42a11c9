import { withMethod } from "../shared/with-method.ts";

/** The signal that LangChain gives to a tool. */
export class ToolSignal {
  #given: AbortSignal | undefined;

  /** The tool, whose calls are aborted by this signal, too. */
  of<Tool extends object>(tool: Tool, cutOff: AbortSignal | undefined): Tool {
    if (!isInvokable(tool)) return tool;
    const invoke: Invokable["invoke"] = (input, config) => {
      this.#given = config?.signal;
      if (!cutOff) return tool.invoke(input, config);
      const signal = config?.signal ? AbortSignal.any([config.signal, cutOff]) : cutOff;
      return tool.invoke(input, { ...config, signal });
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
