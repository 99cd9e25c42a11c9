import { messageFrom } from "./child.ts";
import type { Comparison } from "./compare.ts";

// The Claude Agent SDK cannot be timed here: its loop runs in another process.
const frameworks = ["loop", "pi-agent-core", "ai-sdk", "openai-agents", "langchain", "mastra"];

/** Each framework's real loop with turn-limit, with the framework's own limiter and with none. */
export async function adapters(): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const name of frameworks) {
    // In a process of its own, so that no framework is measured in the heap that another has left behind.
    comparisons.push(await messageFrom<Comparison>("compare.ts", [name], ["--expose-gc"]));
  }
  return comparisons;
}
