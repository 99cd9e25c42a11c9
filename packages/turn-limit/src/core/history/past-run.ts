import { isAmount, isPlainObject } from "../checks.ts";
import type { Outcome } from "../governor/outcome.ts";
import { kindOf } from "../limits/kinds.ts";
import type { Totals } from "../meter/meter.ts";

/** A run that is over: what it took. Nothing of its prompt is known of it. */
export interface PastRun {
  /**
   * - `finished`: it took what it needed
   * - `limited`: a limit ended it, or made it finish early: it would have taken more
   */
  readonly end: "finished" | "limited";
  readonly took: Totals;
}

/** How a run counts that ended like this. Nothing: it does not, because it says nothing of what such runs need. */
export function countsAs({ kind, identity }: Pick<Outcome, "kind" | "identity">): PastRun["end"] | undefined {
  if (kind === "completed") return "finished";
  if (kind === "wrapped-up" || kind === "salvaged") return "limited";
  // What a loop, a closed pool or a person ended says nothing of how much was needed.
  const isByAmount = identity === undefined || (kindOf(identity) && identity.kind !== "repeats");
  return (kind === "stopped" || kind === "declined") && isByAmount ? "limited" : undefined;
}

const AMOUNTS = [
  ...["turns", "requests", "steps", "time", "input", "output", "cacheRead", "cacheWrite", "cost"],
] as const;

/** Reads what was kept of a run; nothing if it is damaged, or of a version that says something else. */
export function pastRun(value: unknown): PastRun | undefined {
  if (!isPlainObject(value)) return undefined;
  const { end, took } = value;
  if (end !== "finished" && end !== "limited") return undefined;
  return isTotals(took) ? { end, took } : undefined;
}

function isTotals(took: unknown): took is Totals {
  if (!isPlainObject(took) || !AMOUNTS.every((name) => isAmount(took[name]))) return false;
  return isPlainObject(took.calls) && Object.values(took.calls).every(isAmount);
}
