import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Comparison } from "./compare.ts";

// Of the claude-agent-sdk nothing can be timed here: its loop runs in another process.
const frameworks = ["loop", "pi-agent-core", "ai-sdk", "openai-agents", "langchain", "mastra"];

/** Each framework's real loop with turn-limit, with the framework's own limiter and with none. */
export async function adapters(): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const name of frameworks) comparisons.push(await compared(name));
  return comparisons;
}

/** In a process of its own, so that no framework is measured in the heap that another has left behind. */
async function compared(name: string): Promise<Comparison> {
  const child = fork(join(import.meta.dirname, "compare.ts"), [name], { execArgv: ["--expose-gc"] });
  let comparison: Comparison | undefined;
  child.on("message", (message: Comparison) => {
    comparison = message;
  });
  const [code] = await once(child, "exit");
  if (code !== 0 || !comparison) throw new Error(`The comparison for ${name} ended with ${code}`);
  return comparison;
}
