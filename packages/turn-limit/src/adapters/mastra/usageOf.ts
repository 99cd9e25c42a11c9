import type { ProcessInputStepArgs } from "@mastra/core/processors";
import type { TurnEnd } from "../../governor/RequestStatus.ts";

/** What the host keeps of an answered request. */
export type Step = ProcessInputStepArgs["steps"][number];

/** What the answer took. The host counts what the cache takes as input too. */
export function usageOf(step: Step | undefined): Pick<TurnEnd, "usage"> {
  if (!step?.usage) return {};
  const { inputTokens = 0, outputTokens: output = 0, cachedInputTokens: cacheRead } = step.usage;
  const { cacheCreationInputTokens: cacheWrite } = step.usage as { cacheCreationInputTokens?: number };
  const cache = { ...(cacheRead && { cacheRead }), ...(cacheWrite && { cacheWrite }) };
  return { usage: { input: inputTokens - (cacheRead ?? 0) - (cacheWrite ?? 0), output, ...cache } };
}
