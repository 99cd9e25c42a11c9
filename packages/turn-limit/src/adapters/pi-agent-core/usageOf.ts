import type { Agent, AgentToolResult } from "@earendil-works/pi-agent-core";
import type { Usage } from "../../governor/Usage.ts";

type HostUsage = NonNullable<AgentToolResult["usage"]>;
type Model = Agent["state"]["model"];

/** What an answer took. A model without a price has prices of 0, and then nobody knows what it cost. */
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
