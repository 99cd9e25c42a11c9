import type { Boundary, Max } from "../limits/boundary.ts";
import { KINDS, kindOf, nameParts, TOOLS } from "../limits/kinds.ts";

/** What a limit is called in a sentence. */
export function limitTitle(limit: string): string {
  const { own, whose } = nameParts(limit);
  if (own.startsWith(TOOLS)) return `${KINDS.tools.title} for ${own.slice(TOOLS.length)}${whose}`;
  const title = kindOf(limit)?.title;
  return title === undefined ? `${limit} limit` : title + whose;
}

/** What the model reads as the result of a tool call that was not run. */
export function notRun(boundary: Boundary): string {
  return `Not run: the ${reached(boundary)}`;
}

/** The same where the run is over. */
export function notRunAnymore(boundary: Boundary): string {
  return `${notRun(boundary)} ${OVER}`;
}

/** What the model reads as the result of a tool call that was stopped in the middle. */
export function cutOff(boundary: Boundary): string {
  return `Cut off before it had a result: the ${reached(boundary)} ${OVER}`;
}

/** What the model reads when it makes the same call once more. */
export function sameAgain({ used }: Boundary): string {
  const often = used === 1 ? "already" : `${used} times in a row`;
  return `Not run: this call was made ${often} with the same result. It will not change. Try something else, or answer.`;
}

const OVER = "No more tool calls are possible in this run.";

/** `The turn limit is reached (25/25).` */
export function reachedText(boundary: Boundary): string {
  return `The ${reached(boundary)}`;
}

function reached({ limit, used, max, why }: Boundary): string {
  if (why !== undefined) return `run is held. ${why}`;
  return `${limitTitle(limit)} is reached (${amount(limit, used)}/${amount(limit, max)}).`;
}

function amount(limit: string, value: Max): string {
  return value === "unlimited" ? value : (kindOf(limit)?.format?.(value) ?? String(value));
}
