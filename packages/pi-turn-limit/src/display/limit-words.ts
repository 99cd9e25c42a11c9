import type { Boundary, Max, Unpriced } from "turn-limit";
import {
  capitalised,
  DOLLARS,
  extensionText,
  listed,
  maxText,
  noPrice,
  sentence,
  TOKENS,
  unpricedText,
} from "../core.ts";
import { limitOf } from "../limits/limit-of.ts";
import { perText } from "../limits/periods.ts";
import { titleOf } from "../limits/pi-limit.ts";
import { percentOf, shareOf } from "./share.ts";

/** Where a limit stands. */
export interface Standing extends Boundary {
  /** Of a run that is over: the maximum that holds by now, if it is another. */
  readonly nextMax?: Max;
  /** How many agents below the session draw from it, where that is to be shown. */
  readonly agents?: number;
}

/** `12/25`, `182.3k/200k`, `$0.93/$5.00`, `31/∞`, `10/25 → 50`. */
export function standingText(standing: Standing): string {
  return `${usedText(standing)}/${maxOfText(standing)}`;
}

/** The maximum of a limit, with the one that holds by now. */
export function maxOfText(standing: Standing): string {
  const { amount } = limitOf(standing).settings.max;
  const maxima = [standing.max, ...(standing.nextMax === undefined ? [] : [standing.nextMax])];
  return maxima.map((max) => maxText(amount, max)).join(" → ");
}

/** The usage of a limit; of a cost that is not fully known, the part that is. */
export function usedText(standing: Boundary): string {
  const { used, max, unpriced } = standing;
  const text = limitOf(standing).settings.max.amount.show(used, max);
  if (!unpriced) return text;
  return used === 0 ? "?" : `≥${text}`;
}

/** `Token limit reached (201.3k/200k).` */
export function reachedText(boundary: Boundary): string {
  if (boundary.why !== undefined) return sentence(boundary.why);
  return boundary.unpriced ? unpricedText() : `${reachedPhrase(boundary)}.`;
}

/** The same where the numbers say it, to be continued: `Token limit reached (201.3k/200k)`. */
export function reachedPhrase(boundary: Boundary): string {
  const limit = limitOf(boundary);
  const { extended } = boundary;
  const where = limit.reached?.(boundary.used) ?? standingText(boundary);
  const how = extended ? `${where} · ${extensionText(extended)}` : where;
  return `${capitalised(titleOf(limit))} reached (${how})`;
}

/** `80 % of the cost limit per day is used ($16.00/$20.00).` */
export function reachedShareText(standing: Boundary): string {
  return `${percentOf(shareOf(standing))} of the ${titleOf(limitOf(standing))} is used (${standingText(standing)}).`;
}

/** How a person can allow more of a limit in the next run. */
export function remedyText(boundary: Boundary): string {
  if (boundary.unpriced)
    return 'Use a model with a price, or another "unpriced" of "cost" in turn-limit.json.';
  const { key, kind = key, flag, env, remedy, per } = limitOf(boundary);
  if (remedy !== undefined) return remedy;
  const ways = [...(flag ? [`--${flag}`] : []), ...(env ? [env] : []), `"${kind}" in turn-limit.json`];
  return `To allow ${per ? `more ${perText(per)}` : "more"}, use ${listed(ways, "or")}.`;
}

/** What holds a run to its cost, and to its tokens. */
export interface CostAndTokens {
  readonly cost: { readonly max: Max; readonly unpriced: Unpriced };
  readonly tokens: { readonly max: Max };
}

/** What a person is told about a model without a price, and what it means for the run. */
export function unpricedModelText(model: string, { cost, tokens }: CostAndTokens): string {
  const { max, unpriced } = cost;
  const said = `${capitalised(noPrice(model))}, so the cost limit of ${maxText(DOLLARS, max)} cannot hold it.`;
  if (unpriced === "warn") return `${said} The run goes on.`;
  if (unpriced === "stop") return `${said} The run is stopped.`;
  return tokens.max === "unlimited"
    ? `${said} There is no token limit to hold it instead: the run is stopped.`
    : `${said} The token limit of ${maxText(TOKENS, tokens.max)} does.`;
}
