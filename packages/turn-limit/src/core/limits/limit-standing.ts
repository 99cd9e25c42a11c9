import type { Reading } from "../meter/meter.ts";
import { type Boundary, isReached, type Max } from "./boundary.ts";
import { type CheckedLimit, isGroup, membersOf, type SingleLimit, singlesOf } from "./limit.ts";

/**
 * The boundary of the limit, if it is reached. `applies`: the members of a group that matter now; `granted`: what a
 * person allowed instead of the maximum.
 */
export function boundaryOf(
  limit: CheckedLimit,
  since: Reading,
  now: Reading,
  applies?: (limit: SingleLimit) => boolean,
  granted: Max | null = null,
): Boundary | undefined {
  if (granted === "unlimited") return undefined;
  if (!isGroup(limit)) {
    if (applies && !applies(limit)) return undefined;
    const used = limit.usedBetween(since, now);
    const max = granted ?? limit.max;
    return isReached(used, max) ? { limit: limit.name, identity: limit.identity, used, max } : undefined;
  }
  if ("anyOf" in limit) {
    for (const member of limit.anyOf) {
      const boundary = boundaryOf(member, since, now, applies);
      if (boundary) return boundary;
    }
    return undefined;
  }
  if (applies && !singlesOf(limit).some(applies)) return undefined;
  const boundaries = limit.allOf.map((member) => boundaryOf(member, since, now));
  return boundaries.includes(undefined) ? undefined : boundaries[0];
}

/**
 * The usage of the limit; of a group that of the member which decides when it is reached: the one of which the largest share
 * is used, or the smallest where all have to be reached. `undefined`: no maximum is known, or it is 0.
 */
export function nearestOf(
  limit: CheckedLimit,
  since: Reading,
  now: Reading,
  granted: Max | null,
): Bounded | undefined {
  if (!isGroup(limit)) return boundedAt(standingsOf(limit, since, now, granted)[0]);
  if (granted === "unlimited") return undefined;
  const members = membersOf(limit).map((member) => nearestOf(member, since, now, null));
  const known = members.filter((member) => member !== undefined);
  const all = "allOf" in limit;
  if (all && known.length < members.length) return undefined;
  const share = ({ used, max }: Bounded) => used / max;
  return known.reduce<Bounded | undefined>((nearest, member) => {
    if (!nearest) return member;
    return (all ? share(member) < share(nearest) : share(member) > share(nearest)) ? member : nearest;
  }, undefined);
}

/** Where a limit stands that has a maximum, which is not 0. */
export type Bounded = Boundary & { max: number };

/** The same, if it has one. */
export function boundedAt(standing: Boundary | undefined): Bounded | undefined {
  return standing && standing.max !== "unlimited" && standing.max > 0 ? (standing as Bounded) : undefined;
}

/** The usage of the limit, or of each of its members. */
export function standingsOf(
  limit: CheckedLimit,
  since: Reading,
  now: Reading,
  granted: Max | null,
): Boundary[] {
  if (isGroup(limit)) return membersOf(limit).flatMap((member) => standingsOf(member, since, now, granted));
  const { name, identity } = limit;
  return [{ limit: name, identity, used: limit.usedBetween(since, now), max: granted ?? limit.max }];
}
