import type { Agent, AgentToolResult } from "@earendil-works/pi-agent-core";
import type { Usage } from "../../core/meter/usage.ts";

/** A message as the model gets it. */
export type LlmMessage = Awaited<ReturnType<Agent["convertToLlm"]>>[number];
/** An answer of the model. */
export type Answer = Extract<LlmMessage, { role: "assistant" }>;
type HostUsage = NonNullable<AgentToolResult["usage"]>;
type Model = Agent["state"]["model"];

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

/** What an answer of the model took. Without a price its cost is not known, and Pi says $0. */
export function usageOf(
  { input, output, cacheRead, cacheWrite, cost }: HostUsage,
  model: Pick<Model, "cost"> | undefined,
): Usage {
  const isKnown = cost.total > 0 || (model !== undefined && hasPrice(model));
  return { input, output, cacheRead, cacheWrite, ...(isKnown && { cost: cost.total }) };
}

/** Is it known what the model costs? Pi cannot tell a free model from one without a price: both have prices of 0. */
export function hasPrice({ cost: { input, output, cacheRead, cacheWrite } }: Pick<Model, "cost">): boolean {
  return input > 0 || output > 0 || cacheRead > 0 || cacheWrite > 0;
}
