import type { Agent, AgentToolResult } from "@earendil-works/pi-agent-core";
import type { Usage } from "../../meter/usage.ts";

/** A message as the model gets it. */
export type LlmMessage = Awaited<ReturnType<Agent["convertToLlm"]>>[number];

type HostUsage = NonNullable<AgentToolResult["usage"]>;
type Model = Agent["state"]["model"];

/** An instruction as the model gets it. */
export function instruction(text: string): Extract<LlmMessage, { role: "user" }> {
  return { role: "user", content: [{ type: "text", text }], timestamp: Date.now() };
}

/**
 * The transcript as the tools-free turn sends it: no tool is declared, and the model is told why. Only this request is
 * changed. The agent keeps its tools, so there is nothing to give back afterwards.
 */
export function toolsFree(messages: LlmMessage[], told: string): LlmMessage[] {
  const undeclared = messages.map((message) => {
    if (message.role !== "system") return message;
    const { toolsAdded: _added, toolsRemoved: _removed, ...rest } = message;
    return rest;
  });
  return [...undeclared, instruction(told)];
}

/** What an answer took. A model without a price has prices of 0, and then its cost is not known. */
export function usageOf(
  { input, output, cacheRead, cacheWrite, cost }: HostUsage,
  model: Model | undefined,
): Usage {
  const isPriced = cost.total > 0 || (model !== undefined && hasPrice(model));
  return { input, output, cacheRead, cacheWrite, ...(isPriced && { cost: cost.total }) };
}

function hasPrice({ cost: { input, output, cacheRead, cacheWrite } }: Model): boolean {
  return input > 0 || output > 0 || cacheRead > 0 || cacheWrite > 0;
}
