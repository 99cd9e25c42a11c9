import type { Boundary, Max, Unpriced } from "turn-limit";
import { DOLLARS, maxText, TOKENS } from "../core.ts";
import { perText } from "../limits/periods.ts";
import { limitOf, type PiLimit } from "../limits/pi-limits.ts";
import { percentOf, shareOf } from "./share.ts";

/** What a limit is called in a sentence: `token limit`, `limit for bash`. */
export function titleOf({ title, noun }: PiLimit): string {
  return title ?? `${noun} limit`;
}

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
  const { max, nextMax } = standing;
  const { amount } = limitOf(standing);
  return nextMax === undefined
    ? maxText(amount, max)
    : `${maxText(amount, max)} → ${maxText(amount, nextMax)}`;
}

/** The usage of a limit; of a cost that is not fully known, the part that is. */
export function usedText(standing: Boundary): string {
  const { used, max, unpriced } = standing;
  const text = limitOf(standing).amount.show(used, max);
  if (!unpriced) return text;
  return used === 0 ? "?" : `≥${text}`;
}

/** `Token limit reached (201.3k/200k).` */
export function reachedText({ unpriced, ...standing }: Boundary): string {
  if (standing.why !== undefined) return sentence(standing.why);
  if (unpriced) return "The model has no price, so the cost limit cannot hold the run.";
  const limit = limitOf(standing);
  const how = limit.reached?.(standing.used) ?? standingText(standing);
  return `${capitalised(titleOf(limit))} reached (${how}).`;
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
  const ways = [flag && `--${flag}`, env, `"${kind}" in turn-limit.json`].filter(Boolean);
  const more = per ? `more ${perText(per)}` : "more";
  return `To allow ${more}, use ${ways.length > 1 ? `${ways.slice(0, -1).join(", ")} or ${ways.at(-1)}` : ways[0]}.`;
}

/** What holds a run to its cost, and to its tokens. */
export interface CostAndTokens {
  readonly cost: { readonly max: Max; readonly unpriced: Unpriced };
  readonly tokens: { readonly max: Max };
}

/** What a person is told about a model without a price, and what it means for the run. */
export function unpricedText(model: string, { cost, tokens }: CostAndTokens): string {
  const { max, unpriced } = cost;
  const { max: maxTokens } = tokens;
  const said = `The model ${model} has no price, so the cost limit of ${maxText(DOLLARS, max)} cannot hold it.`;
  if (unpriced === "warn") return `${said} The run goes on.`;
  const holds = unpriced === "tokens" && maxTokens !== "unlimited";
  if (unpriced === "tokens" && !holds)
    return `${said} There is no token limit to hold it instead: the run is stopped.`;
  return `${said} ${holds ? `The token limit of ${maxText(TOKENS, maxTokens)} does.` : "The run is stopped."}`;
}

/** The same with an end, for somebody else's words. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
