import { InvalidLimit } from "../core/errors/invalid-limit.ts";
import type { Max } from "../core/limits/boundary.ts";
import type { Disagreement, KeepFor } from "./ledger/terms.ts";
import { fromUnits } from "./units.ts";

/** The error for a member that says otherwise than its pool what belongs to the pool. */
export function otherTerms(pool: string, found: Disagreement): InvalidLimit {
  if (found.term === "left-out") return leftOutLimit(pool, found.measure, found.recorded);
  const [recorded, own] = [textOf(found, found.recorded), textOf(found, found.own)];
  const setting = found.term === "limits" ? found.measure : found.term;
  const noun = found.term === "limits" ? "a maximum" : found.term === "zone" ? "the time zone" : "a keepFor";
  return new InvalidLimit(
    setting,
    own,
    `${recorded}, which is recorded with the pool`,
    `The pool ${pool} has ${noun} of ${recorded}, and this member says ${own}. Use the same, or make this one the pool's for everyone with pool.redefine().`,
  );
}

/** The error for a member that leaves out a limit of its pool. */
function leftOutLimit(pool: string, measure: string, max: number): InvalidLimit {
  const recorded = `${fromUnits(measure, max)} ${measure}`;
  return new InvalidLimit(
    measure,
    undefined,
    `${recorded}, which is recorded with the pool`,
    `The pool ${pool} has a maximum of ${recorded}, which this member leaves out. Give it the same, for a limit of a pool holds all its members.`,
  );
}

function textOf(found: Exclude<Disagreement, { term: "left-out" }>, value: Max | KeepFor | string): string {
  if (found.term === "keepFor") return value === "forever" ? value : `${value} ms`;
  if (found.term === "zone") return String(value);
  const { measure } = found;
  return `${typeof value === "number" ? fromUnits(measure, value) : value} ${measure}`;
}
