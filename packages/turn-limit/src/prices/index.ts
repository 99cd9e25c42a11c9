/**
 * What the models that people use cost. Needs the package `@pydantic/genai-prices`, which keeps their prices.
 *
 * @module
 */
import { calcPrice } from "@pydantic/genai-prices";
import type { Model } from "../core/meter/model.ts";
import type { Usage } from "../core/meter/usage.ts";

export type { Model } from "../core/meter/model.ts";

/**
 * What an answer costs, in US dollars, at the list prices of the installed version of `@pydantic/genai-prices`. A model that
 * is not listed there for its provider, or without a price, is `undefined`: not known. It is the `price` of every adapter's options.
 *
 * @example
 * const limits = limitToolLoop({ cost: 5, price });
 */
export function price(usage: Usage, model?: Model): number | undefined {
  if (typeof model?.id !== "string") return undefined;
  const { input, output, cacheRead = 0, cacheWrite = 0 } = usage;
  const tokens = {
    input_tokens: input + cacheRead + cacheWrite,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
    output_tokens: output,
  };
  for (const { id, provider } of namesOf(model)) {
    const listed = calcPrice(tokens, id, provider === undefined ? {} : { providerId: provider });
    if (listed) return isPriced(listed.model_price, output) ? listed.total_price : undefined;
  }
  return undefined;
}

/** The names that a model may be listed by, the one that says most of its price first. */
function namesOf({ id, provider }: Model): Model[] {
  // Some frameworks say what they talk to as well, as in `azure.responses`.
  const host = provider?.split(".")[0];
  // A gateway names the vendor too, as in `openai/gpt-5`.
  const [, vendor, name] = /^([^/]+)\/(.+)$/.exec(id) ?? [];
  return [
    { id, provider },
    ...(host === provider ? [] : [{ id, provider: host }]),
    ...(vendor && name ? [{ id: name, provider: vendor }] : []),
  ];
}

/** An entry without these prices is not of a model that is free. Embeddings have no output. */
function isPriced(prices: Readonly<Record<string, unknown>>, output: number): boolean {
  return prices.input_mtok !== undefined && (output === 0 || prices.output_mtok !== undefined);
}
