import type { ToolCall } from "@langchain/core/messages";
import { ToolInvocationError } from "langchain";
import { isInterrupt } from "./interrupts.ts";

/**
 * An error of which LangChain makes the result that it makes of a tool's error where no middleware wraps tool calls. It is
 * raised where one does, as the limits do.
 */
export function toldToTheModel(error: unknown, call: ToolCall): unknown {
  if (isInterrupt(error) || ToolInvocationError.isInstance(error)) return error;
  const told = new ToolInvocationError(error, call);
  told.message = `${error}\n Please fix your mistakes.`;
  told.cause = error;
  return told;
}
