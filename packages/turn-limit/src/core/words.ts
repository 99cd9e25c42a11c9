import { type Boundary, type LimitIdentity, labelOf, type Max } from "./limits/boundary.ts";
import { kindOf } from "./limits/kinds.ts";
import { MEASURES } from "./measures/measures.ts";
import { maxText } from "./measures/write-amounts.ts";

// What is said of a limit, in parts that each screen puts together: nobody cuts a sentence apart again.

/** What a limit is called in a sentence: `turn limit`, `cost limit of pool research`. */
export function limitTitle({ limit, identity }: Pick<Boundary, "limit" | "identity">): string {
  const noun = kindOf(identity)?.noun;
  // One that was given a name is called by it.
  if (noun === undefined || limit !== labelOf(identity)) return `${limit} limit`;
  const { tool, pool, per } = identity;
  const title = tool === undefined ? `${noun} limit` : `limit for ${tool}`;
  if (pool !== undefined) return `${title} of pool ${pool}`;
  return per === undefined ? title : `${title} per ${per}`;
}

/** What is used of a limit, and of how much: `25/25`, `182.3k/200k`, `$0.93/$5.00`, `31/∞`. */
export function standingText({ identity, used, max }: Pick<Boundary, "identity" | "used" | "max">): string {
  return `${usedText(identity, used, max)}/${maxText(measureOf(identity), max)}`;
}

/** What is used of a limit. `max`: what it is shown beside. */
export function usedText(identity: LimitIdentity, used: number, max?: Max): string {
  return measureOf(identity).show(used, max);
}

// The numbers of a limit of one's own are written as they are.
function measureOf(identity: LimitIdentity) {
  return MEASURES[kindOf(identity)?.measure ?? "turns"];
}

/** What the model reads as the result of a tool call that was not run. */
export function notRun(boundary: Boundary): string {
  return `Not run: the ${isReached(boundary)}`;
}

/** The same where the run is over. */
export function notRunAnymore(boundary: Boundary): string {
  return `${notRun(boundary)} ${NO_MORE.calls}`;
}

/** What the model reads as the result of a tool call that was stopped in the middle. */
export function cutOff(boundary: Boundary): string {
  return `Cut off before it had a result: the ${isReached(boundary)} ${NO_MORE.calls}`;
}

/** What the model reads when it makes the same call once more. */
export function sameAgain({ used }: Boundary): string {
  const often = used === 1 ? "already" : `${used} times in a row`;
  return `Not run: this call was made ${often} with the same result. It will not change. Try something else, or answer.`;
}

/** What an error says: `The turn limit is reached (25/25).` */
export function reachedError(boundary: Boundary): string {
  return `The ${isReached(boundary)}`;
}

function isReached(boundary: Boundary): string {
  if (boundary.why !== undefined) return `run is held. ${sentence(boundary.why)}`;
  return `${limitTitle(boundary)} is reached (${standingText(boundary)}).`;
}

/** What is not possible any more once a limit was reached. */
export const NO_MORE = {
  calls: "No more tool calls are possible in this run.",
  requests: "No more requests are sent in this run.",
  requestsOfPool: "Requests are refused until the pool admits more.",
} as const;

/** What the clients of a gateway read when the store of its budgets cannot be used. */
export const BUDGET_UNKNOWN =
  "The gateway cannot use its store of budgets, so requests are refused. Tell whoever runs it: its standard error says why.";

/** What a person reads above a question: `Turn limit reached`. */
export function reachedTitle(limit: Pick<Boundary, "limit" | "identity">): string {
  return `${capitalised(limitTitle(limit))} reached`;
}

/** What a person reads: `Turn limit reached (25/25).` `model`: the one whose price is not known. */
export function reachedText(boundary: Boundary, model?: string): string {
  if (boundary.why !== undefined) return sentence(boundary.why);
  return boundary.unpriced ? unpricedText(model) : `${reachedTitle(boundary)} (${standingText(boundary)}).`;
}

/** What a person reads of a model whose price is not known. */
export function unpricedText(model?: string): string {
  return `${capitalised(noPrice(model))}, so the cost limit cannot hold the run.`;
}

/** `the model gpt-5 has no price` */
export function noPrice(model?: string): string {
  return `the model ${model === undefined ? "" : `${model} `}has no price`;
}

/** What a person reads of a value that cannot be used: `Invalid turn limit from --max-turns. Use a whole number, …` */
export function invalid(name: string, why: string, source?: string): string {
  return `Invalid ${name}${source === undefined ? "" : ` from ${source}`}. ${why}`;
}

/** What a person is asked after what was reached. */
export const CONTINUE = "Continue?";

/** Where a run was stopped, and by whom. */
export const STOPPED_HERE = {
  stopped: "The run was stopped here.",
  declined: "A person stopped the run here.",
} as const;

/** Somebody else's words as a sentence. */
export function sentence(words: string): string {
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

/** The same without the end, to be continued. */
export function phrase(words: string): string {
  return words.endsWith(".") ? words.slice(0, -1) : words;
}

export function capitalised(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
