import type { Agent, AgentToolResult } from "@earendil-works/pi-agent-core";
import type { Usage } from "../../core/meter/usage.ts";
import type { Turn } from "../../run/turn.ts";

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
  turn: Turn,
): Promise<LlmMessage[]> {
  const messages = turn.tools ? await converted : ofLastTurn(await converted, turn);
  return [...messages, { role: "user", content: [{ type: "text", text }], timestamp: Date.now() }];
}

/** No tool is declared but the final one. The agent keeps its tools. */
function ofLastTurn(messages: LlmMessage[], turn: Turn): LlmMessage[] {
  return messages.map((message) => {
    if (message.role !== "system") return message;
    const { toolsAdded = [], toolsRemoved: _removed, ...rest } = message;
    const offered = toolsAdded.filter(({ name }) => turn.offers(name));
    return offered.length > 0 ? { ...rest, toolsAdded: offered } : rest;
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
