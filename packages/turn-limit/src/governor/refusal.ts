import type { Boundary } from "./Decision.ts";

/** What the model reads as the result of a tool call that was not run. */
export function refusal({ limit, used, max }: Boundary): string {
  const which = limit === "steps" ? "step" : "turn";
  return `Not run: the ${which} limit is reached (${used}/${max}). No more tool calls are possible in this run.`;
}
