import type { BudgetSettings } from "turn-limit";
import { maxText } from "./amount-text.ts";

/** What a person is told about a model without a price, and what it means for the run. */
export function unpricedText(model: string, { cost, tokens }: Required<BudgetSettings>): string {
  const { max = "unlimited", unpriced = "warn" } = typeof cost === "object" ? cost : { max: cost };
  const { max: maxTokens = "unlimited" } = typeof tokens === "object" ? tokens : { max: tokens };
  const said = `The model ${model} has no price, so the cost limit of ${maxText("cost", max)} cannot hold it.`;
  if (unpriced === "warn") return `${said} The run goes on.`;
  const holds = unpriced === "tokens" && maxTokens !== "unlimited";
  if (unpriced === "tokens" && !holds)
    return `${said} There is no token limit to hold it instead: the run is stopped.`;
  return `${said} ${holds ? `The token limit of ${maxText("tokens", maxTokens)} does.` : "The run is stopped."}`;
}
