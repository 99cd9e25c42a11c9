import type { Usage } from "../../core/meter/usage.ts";
import { inputAndCache, objectIn, objectsIn, tokensOrNone } from "./parts-of-json.ts";
import type { Json, ReportsUsage } from "./protocol.ts";

const OPENAI =
  /\/(embeddings|completions|moderations|rerank|responses\/compact|(images|audio|videos)(\/[^/]+)?)$/i;
const GOOGLE = /:(embedContent|batchEmbedContents|predict|predictLongRunning)$/i;

/**
 * Does a request with this path ask a model for something that no protocol here is for, such as embeddings or images? Then
 * it is the provider whose prices are used where the address does not tell.
 */
export function asksOtherwise(path: string): "openai" | "google" | undefined {
  if (OPENAI.test(path)) return "openai";
  return GOOGLE.test(path) ? "google" : undefined;
}

/** Reads usage by all the names that it has, wherever it is. What is left out is 0: embeddings have no output. */
export const otherEndpoints: ReportsUsage = {
  usageKey: "usage",
  reported(part) {
    const response = objectIn(part.response);
    const used = part.usage ?? response.usage ?? objectsIn(part.choices)[0]?.usage ?? part.usageMetadata;
    const model = part.model ?? response.model ?? part.modelVersion;
    return used == null ? { model } : { model, usage: counts(objectIn(used)), isTotal: true };
  },
};

function counts(usage: Json): Partial<Usage> {
  const details = objectIn(usage.prompt_tokens_details ?? usage.input_tokens_details);
  const input = usage.prompt_tokens ?? usage.input_tokens ?? usage.promptTokenCount;
  const output = usage.completion_tokens ?? usage.output_tokens ?? usage.candidatesTokenCount;
  // Some report only the sum.
  const all = input ?? (output === undefined ? usage.total_tokens : 0);
  return { ...inputAndCache(all ?? 0, details.cached_tokens), output: tokensOrNone(output) };
}
