import { limitTitle } from "../../core/governor/wording.ts";
import type { Boundary } from "../../core/limits/boundary.ts";
import { type Amount, counted, DOLLARS, DURATION, maxText, TOKENS } from "../../core/text/amounts.ts";

const COUNT = counted(0);

const AMOUNTS: Readonly<Record<string, Amount>> = { tokens: TOKENS, cost: DOLLARS, time: DURATION };

/** `Turn limit reached (25/25).` */
export function reachedWords(boundary: Boundary, unpricedModel?: string | undefined): string {
  const { identity, used, max, why, unpriced } = boundary;
  if (why !== undefined) return why;
  const title = limitTitle(boundary);
  const name = title.charAt(0).toUpperCase() + title.slice(1);
  if (unpriced) return `${name}: ${unpricedWords(unpricedModel)}.`;
  const amount = AMOUNTS[identity.kind] ?? COUNT;
  return `${name} reached (${amount.show(used, max)}/${maxText(amount, max)}).`;
}

function unpricedWords(model: string | undefined): string {
  return `the price of the model ${model === undefined ? "" : `${model} `}is not known`;
}

/** What a person is told of a model without a price whose requests are forwarded. */
export function unpricedWarning(model: string | undefined): string {
  return `T${unpricedWords(model).slice(1)}, so the cost limit cannot hold the run.`;
}
