import type { Agent } from "@earendil-works/pi-agent-core";

/** A message as the model gets it. */
export type LlmMessage = Awaited<ReturnType<Agent["convertToLlm"]>>[number];

/**
 * The transcript as it is sent in a request in which the model is told something. The agent keeps its own, so there is
 * nothing to take back afterwards.
 */
export async function told(
  converted: LlmMessage[] | Promise<LlmMessage[]>,
  text: string,
  tools: boolean,
): Promise<LlmMessage[]> {
  const messages = tools ? await converted : toolsFree(await converted);
  return [...messages, { role: "user", content: [{ type: "text", text }], timestamp: Date.now() }];
}

/** No tool is declared. The agent keeps its tools. */
function toolsFree(messages: LlmMessage[]): LlmMessage[] {
  return messages.map((message) => {
    if (message.role !== "system") return message;
    const { toolsAdded: _added, toolsRemoved: _removed, ...rest } = message;
    return rest;
  });
}
