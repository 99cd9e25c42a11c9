import type { UsageMetadata } from "@langchain/core/messages";
import type { AIMessage } from "langchain";
import type { Model } from "../../core/meter/model.ts";
import type { Report } from "../shared/reported-usage.ts";

/** What an answer says it took. */
export function reportOf(message: AIMessage | undefined): Report {
  const usage = message?.usage_metadata as UsageMetadata | undefined;
  return {
    totalInput: usage?.input_tokens,
    output: usage?.output_tokens,
    cacheRead: usage?.input_token_details?.cache_read,
    cacheWrite: usage?.input_token_details?.cache_creation,
  };
}

/** What answered: as the provider says, or else as the model that was asked does. */
export function modelOf(message: AIMessage | undefined, model: object = {}): Model | undefined {
  const told: Record<string, unknown> = message?.response_metadata ?? {};
  const asked = model as { model?: unknown; modelName?: unknown };
  const id = [told.model_name, told.model, asked.model, asked.modelName].find(isText);
  if (id === undefined) return undefined;
  return { id, ...(isText(told.model_provider) && { provider: told.model_provider }) };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
