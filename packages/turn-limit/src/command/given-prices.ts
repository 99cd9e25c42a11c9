import { DOLLARS } from "../core/text/amounts.ts";
import type { AdapterOptions } from "../run/options.ts";
import { wrongInput } from "./command-error.ts";

/** What an answer of a model costs. */
export type Price = NonNullable<AdapterOptions["price"]>;

/** For input, for output, and perhaps for what is read from a cache, and for what is written to it. */
type DollarsPerMillion = readonly number[];

/** What the options about prices are for. */
export const PRICES_HELP = `  --price MODEL=IN/OUT what a model costs in dollars per million tokens, if it is
                       not in the list of prices: --price my-model=1.25/10. Those
                       from a cache, and to it, may follow: 1.25/10/0.13/1.56
  --unpriced WHAT      for a model without a price: tokens (default): the token
                       limit holds alone, and without one nothing is sent to it;
                       stop: nothing is sent to it; or warn, which lets it pass`;

const MILLION = 1_000_000;

/**
 * Reads `--price MODEL=IN/OUT`. What is read from and written to a cache costs as much as other input, unless it is
 * given, too.
 */
export function readPrices(given: readonly string[] = []): Price | undefined {
  if (given.length === 0) return undefined;
  const prices = new Map(given.map(modelAndPrice));
  return ({ input, output, cacheRead = 0, cacheWrite = 0 }, model) => {
    const price = prices.get(model?.id ?? "");
    if (!price) return undefined;
    const [perInput = 0, perOutput = 0, perRead = perInput, perWrite = perInput] = price;
    return (input * perInput + output * perOutput + cacheRead * perRead + cacheWrite * perWrite) / MILLION;
  };
}

function modelAndPrice(given: string): [model: string, price: DollarsPerMillion] {
  const at = given.lastIndexOf("=");
  const model = given.slice(0, Math.max(0, at)).trim();
  const amounts = given.slice(at + 1).split("/");
  const price = amounts.flatMap((amount) => DOLLARS.parse(amount.trim()) ?? []);
  if (model !== "" && price.length === amounts.length && price.length >= 2 && price.length <= 4)
    return [model, price];
  throw wrongInput(
    `${JSON.stringify(given)} from --price is not the price of a model. Use MODEL=IN/OUT in dollars per million tokens, ` +
      "such as my-model=1.25/10; what is read from a cache and written to it may follow: my-model=1.25/10/0.13/1.56.",
  );
}
