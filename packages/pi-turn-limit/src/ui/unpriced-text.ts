import type { CompleteSettings } from "turn-limit";
import { DOLLARS, maxText, TOKENS } from "../limits/amounts.ts";

/** What a person is told about a model without a price, and what it means for the run. */
export function unpricedText(model: string, { cost, tokens }: CompleteSettings): string {
  const { max, unpriced } = cost;
  const { max: maxTokens } = tokens;
  const said = `The model ${model} has no price, so the cost limit of ${maxText(DOLLARS, max)} cannot hold it.`;
  if (unpriced === "warn") return `${said} The run goes on.`;
  const holds = unpriced === "tokens" && maxTokens !== "unlimited";
  if (unpriced === "tokens" && !holds)
    return `${said} There is no token limit to hold it instead: the run is stopped.`;
  return `${said} ${holds ? `The token limit of ${maxText(TOKENS, maxTokens)} does.` : "The run is stopped."}`;
}
