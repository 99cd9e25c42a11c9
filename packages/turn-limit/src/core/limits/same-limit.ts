import { type CheckedLimit, isGroup, membersOf, singlesOf } from "./limit.ts";

/** Its maxima, to compare: of a group that of each limit. */
export function maximaOf(limit: CheckedLimit): string {
  return singlesOf(limit)
    .map(({ max }) => max)
    .join();
}

/** Are two limits the same? Functions and the wrap-up are ignored: they may be new objects on every load. */
export function isSame(one: CheckedLimit, other: CheckedLimit): boolean {
  return JSON.stringify(dataOf(one)) === JSON.stringify(dataOf(other));
}

function dataOf(limit: CheckedLimit): unknown {
  if (!isGroup(limit)) return { ...limit, grace: 0, wrapUp: 0 };
  const { name, onExhausted, headless } = limit;
  return [name, onExhausted, headless, membersOf(limit).map(dataOf)];
}
