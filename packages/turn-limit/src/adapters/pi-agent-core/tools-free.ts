import type { Agent } from "@earendil-works/pi-agent-core";

/** A message as the model gets it. */
export type LlmMessage = Awaited<ReturnType<Agent["convertToLlm"]>>[number];

/** The instruction as the model gets it. */
export function told(text: string): Extract<LlmMessage, { role: "user" }> {
  return { role: "user", content: [{ type: "text", text }], timestamp: Date.now() };
}

/**
 * The transcript as the tools-free turn sends it: no tool is declared, and the model is told why. Only this request is
 * changed. The agent keeps its tools, so there is nothing to give back afterwards.
 */
export function toolsFree(messages: LlmMessage[], instruction: string): LlmMessage[] {
  const undeclared = messages.map((message) => {
    if (message.role !== "system") return message;
    const { toolsAdded: _added, toolsRemoved: _removed, ...rest } = message;
    return rest;
  });
  return [...undeclared, told(instruction)];
}
