import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { Usage } from "turn-limit";

/** What an answer took, in the core's words. */
export function usageOf({ input, output, cacheRead, cacheWrite, cost }: AssistantMessage["usage"]): Usage {
  return { input, output, cacheRead, cacheWrite, cost: cost.total };
}
