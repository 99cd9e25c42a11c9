import type { ToolCall } from "@langchain/core/messages";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "langchain";
import type { Driver } from "../../pools/old-driver/driver.ts";
import { reportedUsage } from "../shared/reported-usage.ts";
import { modelOf, reportOf } from "./reports.ts";

/** Counts a tool call that another process ran. Pools know of it. */
export function countCall({ governor }: Driver, { name: tool, args }: ToolCall, result: ToolMessage): void {
  const id = crypto.randomUUID();
  if (governor.beforeStep({ id, tool, args }).kind !== "proceed") return;
  governor.stepExecuted();
  governor.stepEnded({ id, result: result.content });
}

/** Counts the turns and tool calls since the last prompt, all of which another process made. */
export function countTurns(driver: Driver, messages: BaseMessage[]): void {
  const since = messages.slice(messages.findLastIndex(HumanMessage.isInstance) + 1);
  for (const answer of since.filter(AIMessage.isInstance)) {
    const { kind } = driver.governor.beforeTurn();
    if (kind === "ask" || kind === "stop") return;
    driver.governor.requestSent();
    driver.turnEnded(reportedUsage(reportOf(answer)), modelOf(answer));
    for (const call of answer.tool_calls ?? []) {
      const result = resultOf(call, since);
      if (result) countCall(driver, call, result);
    }
  }
}

/** The result of a call, if the messages have one. */
export function resultOf({ id }: ToolCall, messages: BaseMessage[]): ToolMessage | undefined {
  return messages.filter(ToolMessage.isInstance).findLast((message) => message.tool_call_id === id);
}
