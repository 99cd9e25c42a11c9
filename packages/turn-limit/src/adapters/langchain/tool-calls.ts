import type { ToolCall } from "@langchain/core/messages";
import { ToolMessage, type WrapToolCallHook } from "langchain";
import type { AgentRun } from "./agent-run.ts";
import type { stateSchema } from "./agent-state.ts";
import { toldToTheModel } from "./tool-errors.ts";
import { ToolSignal } from "./tool-signal.ts";

type Hook = WrapToolCallHook<typeof stateSchema>;

/** Makes a tool call, if the limits admit it. */
export async function callTool(
  run: AgentRun,
  request: Parameters<Hook>[0],
  handler: Parameters<Hook>[1],
): Promise<Awaited<ReturnType<Hook>>> {
  const { toolCall, runtime, tool } = request;
  const loop = run.loopOf(runtime);
  const signal = new ToolSignal();
  try {
    loop.calls(tool);
    const executed = await run.call(request, async (cutOff) => {
      const isWatched = tool && (cutOff || !loop.raisesToolErrors);
      try {
        return await handler(isWatched ? { ...request, tool: signal.of(tool, cutOff) } : request);
      } catch (error) {
        const isRaised = loop.raisesToolErrors || signal.isAborted;
        throw isRaised ? error : toldToTheModel(error, toolCall);
      }
    });
    return executed.kind === "result" ? executed.result : errorMessage(toolCall, executed.reason);
  } catch (error) {
    run.callFailed(runtime, error, signal.isAborted ? "aborted" : "failed");
    throw error;
  }
}

function errorMessage({ id = "", name }: ToolCall, content: string): ToolMessage {
  return new ToolMessage({ content, tool_call_id: id, name, status: "error" });
}
