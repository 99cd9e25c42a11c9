import { type Activity, countedFor } from "../measures/measures.ts";
import { type CheckedLimit, isGroup, type SingleLimit } from "./limit.ts";

/** Can the limit hold a call? */
export function holdsCalls(limit: CheckedLimit): boolean {
  return isGroup(limit) || limit.before === "step";
}

/** Skips activities that the limit does not count, and retries of a request that a limit of calls has admitted. */
export function isExempt({ before, measure }: SingleLimit, activity: Activity): boolean {
  if (!measure) return false;
  return before === "step" ? activity === "retry" : !countedFor(activity)[measure];
}

/** Does the limit stand before calls alone, so that it can hold a turn only after it refused one? */
export function standsBeforeCalls(limit: CheckedLimit): boolean {
  return !isGroup(limit) && limit.before === "step" && !limit.reserve;
}

export function isBeforeTurn({ before }: SingleLimit): boolean {
  return before === "turn";
}

/** Does the limit stand before calls of this tool? */
export function concerns({ before, tool }: SingleLimit, called: string | undefined): boolean {
  return before === "step" && (tool === undefined || tool === called);
}
