import type { ToolCall } from "@langchain/core/messages";
import {
  AIMessage,
  type BaseMessage,
  MiddlewareError,
  ToolInvocationError,
  ToolMessage,
  type WrapToolCallHook,
} from "langchain";
import type { StepCall } from "../../limits/RepeatTracker.ts";
import type { AgentRun } from "./AgentRun.ts";
import { isInterrupt } from "./errors.ts";
import type { stateSchema } from "./stateSchema.ts";

type Hook = WrapToolCallHook<typeof stateSchema>;

/** The calls of the last answer that have no result yet, in the model's order. */
export function pendingCalls(messages: BaseMessage[]): ToolCall[] {
  const at = messages.findLastIndex(AIMessage.isInstance);
  const answer = messages[at];
  if (!AIMessage.isInstance(answer)) return [];
  const answered = new Set(
    messages.slice(at).map((message) => ToolMessage.isInstance(message) && message.tool_call_id),
  );
  return (answer.tool_calls ?? []).filter(({ id }) => id === undefined || !answered.has(id));
}

/** What the model reads in place of the result of a call that must not run; nothing if it may. */
export function refused(run: AgentRun, call: ToolCall): ToolMessage[] {
  const reason = run.refusal(stepOf(call));
  return reason === undefined ? [] : [errorMessage(call, reason)];
}

/** Executes a call that may run. */
export async function executed(
  run: AgentRun,
  request: Parameters<Hook>[0],
  handler: Parameters<Hook>[1],
): Promise<Awaited<ReturnType<Hook>>> {
  const { toolCall, runtime } = request;
  const result = await run.call(runtime, stepOf(toolCall), async () => {
    try {
      return await handler(request);
    } catch (error) {
      return failed(toolCall, error);
    }
  });
  return typeof result === "string" ? errorMessage(toolCall, result) : result;
}

/** What LangChain makes of the error of a tool, unless there is middleware around its calls, as ours. */
function failed(call: ToolCall, error: unknown): ToolMessage {
  if (isInterrupt(error) || MiddlewareError.isInstance(error) || ToolInvocationError.isInstance(error))
    throw error;
  return errorMessage(call, `${error}\n Please fix your mistakes.`);
}

function errorMessage({ id = "", name }: ToolCall, content: string): ToolMessage {
  return new ToolMessage({ content, tool_call_id: id, name, status: "error" });
}

function stepOf({ id, name, args }: ToolCall): StepCall {
  return { ...(id !== undefined && { id }), tool: name, args };
}
