import type { ToolCall } from "@langchain/core/messages";
import {
  AIMessage,
  type BaseMessage,
  MiddlewareError,
  ToolInvocationError,
  ToolMessage,
  type WrapToolCallHook,
} from "langchain";
import type { StepCall } from "../../limits/repeated-calls.ts";
import { type AgentRun, isInterrupt, type stateSchema } from "./agent-run.ts";

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

/** What the model reads instead of the result of a call that must not run; nothing if it may. */
export function refusalOf({ driver }: AgentRun, call: ToolCall): ToolMessage[] {
  const reason = driver.refusal(stepOf(call));
  return reason === undefined ? [] : [errorMessage(call, reason)];
}

/** Executes a call that may run. */
export async function executeCall(
  run: AgentRun,
  request: Parameters<Hook>[0],
  handler: Parameters<Hook>[1],
): Promise<Awaited<ReturnType<Hook>>> {
  const { toolCall, runtime } = request;
  const executed = await run.execute(runtime, stepOf(toolCall), async () => {
    try {
      return await handler(request);
    } catch (error) {
      return resultOfFailure(toolCall, error);
    }
  });
  return executed.kind === "result" ? executed.result : errorMessage(toolCall, executed.reason);
}

/** What LangChain makes of a tool's error if no middleware wraps tool calls. Ours does, and must not change that. */
function resultOfFailure(call: ToolCall, error: unknown): ToolMessage {
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
