import { RemoveMessage } from "@langchain/core/messages";
import { AIMessage, type BaseMessage, type Runtime } from "langchain";
import type { AgentRun } from "./agent-run.ts";

/** What an agent answers that must end. */
type NoAnswer = AIMessage | { structuredResponse: undefined; messages: [] };

const STOPPED = "turn-limit-stopped";

/**
 * Ends an agent in the middle of its loop: where the next answer would be there is none, and so LangChain ends the loop.
 * Hooks of other middleware that run after an answer would take the last one for it, and so get one that says why; it is
 * gone when the agent has ended.
 */
export function endLoop(run: AgentRun, messages: BaseMessage[], runtime: Runtime): NoAnswer {
  const loop = run.loopOf(runtime);
  const last = messages.findLast(AIMessage.isInstance);
  const isSafe = loop.hooksFollowModel === false || !last?.tool_calls?.length;
  if (isSafe && !loop.hasEnded) {
    loop.hasEnded = true;
    return { structuredResponse: undefined, messages: [] };
  }
  return new AIMessage({
    id: `${STOPPED}-${crypto.randomUUID()}`,
    content: "Stopped: a limit of this run is reached.",
  });
}

/** Removes what {@link endLoop} added. */
export function withoutStopped(messages: BaseMessage[]): BaseMessage[] {
  return messages.flatMap(({ id }) => (id?.startsWith(STOPPED) ? [new RemoveMessage({ id })] : []));
}
