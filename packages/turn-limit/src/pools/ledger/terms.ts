import type { Max } from "../../core/limits/boundary.ts";
import type { Maxima } from "./store.ts";

/**
 * What belongs to a pool and not to a member: how much it admits, the time zone of its periods, and for how many
 * milliseconds its record is kept after its last use. What is left out, a member takes as it is recorded.
 */
export interface Terms {
  limits?: Maxima;
  zone?: string;
  keepFor?: KeepFor;
}

/** For how many milliseconds a record is kept after its last use. */
export type KeepFor = number | "forever";

/** What a member says otherwise than the pool. */
export type Disagreement =
  | { term: "zone"; recorded: string; own: string }
  | { term: "keepFor"; recorded: KeepFor; own: KeepFor }
  | { term: "limits"; measure: string; recorded: Max; own: Max }
  | { term: "left-out"; measure: string; recorded: number };

/**
 * The first thing that a member says otherwise, of what both say. `namesAll`: it draws from the pool, so that a limit which
 * it leaves out would not hold it.
 */
export function disagreement(recorded: Terms, own: Terms, namesAll = false): Disagreement | undefined {
  if (recorded.zone !== undefined && own.zone !== undefined && recorded.zone !== own.zone)
    return { term: "zone", recorded: recorded.zone, own: own.zone };
  if (recorded.keepFor !== undefined && own.keepFor !== undefined && recorded.keepFor !== own.keepFor)
    return { term: "keepFor", recorded: recorded.keepFor, own: own.keepFor };
  for (const [measure, max] of Object.entries(own.limits ?? {})) {
    const before = recorded.limits && Object.hasOwn(recorded.limits, measure) && recorded.limits[measure];
    if (before !== undefined && before !== false && before !== max)
      return { term: "limits", measure, recorded: before, own: max };
  }
  for (const [measure, max] of namesAll ? Object.entries(recorded.limits ?? {}) : [])
    if (max !== "unlimited" && !Object.hasOwn(own.limits ?? {}, measure))
      return { term: "left-out", measure, recorded: max };
  return undefined;
}

/** Without what is not limited: that is not recorded. */
export function limited(terms: Terms): Terms {
  const { limits, ...rest } = terms;
  const kept = Object.entries(limits ?? {}).filter(([, max]) => max !== "unlimited");
  return kept.length > 0 ? { ...rest, limits: Object.fromEntries(kept) } : rest;
}

/** What is recorded, and what a member adds to it. */
export function agreed<T extends Terms>(recorded: T, own: Terms): T {
  const limits = Object.entries(limited(own).limits ?? {}).filter(
    ([measure]) => !Object.hasOwn(recorded.limits ?? {}, measure),
  );
  const zone = recorded.zone ?? own.zone;
  const keepFor = recorded.keepFor ?? own.keepFor;
  if (limits.length === 0 && zone === recorded.zone && keepFor === recorded.keepFor) return recorded;
  return {
    ...recorded,
    ...(limits.length > 0 && { limits: { ...recorded.limits, ...Object.fromEntries(limits) } }),
    ...(zone !== undefined && { zone }),
    ...(keepFor !== undefined && { keepFor }),
  };
}
