import type { ModelUsage } from "@anthropic-ai/claude-agent-sdk";
import { addUsage, type Usage } from "../../governor/Usage.ts";

/** What a session took so far, sub-agents and all, as the program accounts for it. */
export function totalOf(cost: number, models: Record<string, ModelUsage>): Usage {
  return Object.values(models).map(usageOf).reduce(addUsage, { input: 0, output: 0, cost });
}

function usageOf({
  inputTokens: input,
  outputTokens: output,
  cacheReadInputTokens: cacheRead,
  cacheCreationInputTokens: cacheWrite,
}: ModelUsage): Usage {
  return { input, output, cacheRead, cacheWrite };
}
