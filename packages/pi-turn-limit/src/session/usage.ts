import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Usage } from "turn-limit";

/** What an answer took, in the core's words. Pi says $0 where it knows no price. */
export function usageOf({ input, output, cacheRead, cacheWrite, cost }: AssistantMessage["usage"]): Usage {
  return { input, output, cacheRead, cacheWrite, ...(cost.total > 0 && { cost: cost.total }) };
}

/** Does Pi know what the model in use costs? */
export function isPriced(model: NonNullable<ExtensionContext["model"]>): boolean {
  const { input, output, cacheRead, cacheWrite } = model.cost;
  return [input, output, cacheRead, cacheWrite].some((price) => price > 0);
}
