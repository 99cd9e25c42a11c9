import { type Boundary, type LimitIdentity, labelOf, type Max } from "../limits/boundary.ts";
import { kindOf } from "../limits/kinds.ts";

/** What a limit is called in a sentence: `turn limit`, `cost limit of pool research`. */
export function limitTitle({ limit, identity }: Pick<Boundary, "limit" | "identity">): string {
  const title = kindOf(identity)?.title;
  // One that was given a name is called by it.
  if (title === undefined || limit !== labelOf(identity)) return `${limit} limit`;
  const { tool, pool, per } = identity;
  const whose = pool !== undefined ? ` of pool ${pool}` : per !== undefined ? ` per ${per}` : "";
  return `${title}${tool === undefined ? "" : ` for ${tool}`}${whose}`;
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

function reached(boundary: Boundary): string {
  const { identity, used, max, why } = boundary;
  if (why !== undefined) return `run is held. ${why}`;
  return `${limitTitle(boundary)} is reached (${amount(identity, used)}/${amount(identity, max)}).`;
}

function amount(identity: LimitIdentity, value: Max): string {
  return value === "unlimited" ? value : (kindOf(identity)?.format?.(value) ?? String(value));
}
