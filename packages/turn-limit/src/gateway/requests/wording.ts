import { limitTitle } from "../../core/governor/wording.ts";
import type { Boundary } from "../../core/limits/boundary.ts";
import { type Amount, counted, DOLLARS, DURATION, maxText, TOKENS } from "../../core/text/amounts.ts";

const COUNT = counted(0);

const AMOUNTS: Readonly<Record<string, Amount>> = { tokens: TOKENS, cost: DOLLARS, time: DURATION };

/** What a person can do about a limit, and the model whose price is not known. */
export interface WayOut {
  /** How to allow more. */
  readonly raise: string | undefined;
  /** What to do about a model without a price. */
  readonly price: string | undefined;
  readonly unpricedModel: string | undefined;
}

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

/** What is told of a model without a price that is let through. */
export function unpricedWarning({ unpricedModel, price }: WayOut): string {
  const words = unpricedWords(unpricedModel);
  return [`T${words.slice(1)}, so the cost limit cannot hold the run.`, price].filter(Boolean).join(" ");
}

/** What whoever asks is told once a limit has ended the run. `over`: for how long nothing is sent. */
export function refusalWords(boundary: Boundary, over: string, out: WayOut): string {
  return words(boundary, over, out);
}

/** The answer that ends the agent's loop in the place of the model's. It is never empty. */
export function finalWords(boundary: Boundary, isDeclined: boolean, out: WayOut): string {
  return words(boundary, isDeclined ? "A person stopped the run here." : "The run was stopped here.", out);
}

function words(boundary: Boundary, what: string, out: WayOut): string {
  const how = boundary.unpriced ? out.price : out.raise;
  return [reachedWords(boundary, out.unpricedModel), what, how].filter(Boolean).join(" ");
}
