import type { ContextWithSystemEvent } from "@earendil-works/pi-coding-agent";

type Messages = ContextWithSystemEvent["messages"];

/**
 * The transcript as the tools-free turn sends it: no tool is declared, and the model is told why. Only
 * this request is changed. The session keeps its tools, so there is nothing to give back afterwards.
 */
export function toolsFree(messages: Messages, instruction: string): Messages {
  const undeclared = messages.map((message) => {
    if (message.role !== "system") return message;
    const { toolsAdded: _added, toolsRemoved: _removed, ...rest } = message;
    return rest;
  });
  return [...undeclared, told(instruction)];
}

/** The instruction as the model gets it. */
export function told(instruction: string): Messages[number] {
  return { role: "user", content: [{ type: "text", text: instruction }], timestamp: Date.now() };
}
