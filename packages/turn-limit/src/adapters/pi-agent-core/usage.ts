import type { Agent, AgentToolResult } from "@earendil-works/pi-agent-core";
import type { Usage } from "../../core/meter/usage.ts";

type HostUsage = NonNullable<AgentToolResult["usage"]>;
type Model = Agent["state"]["model"];

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
