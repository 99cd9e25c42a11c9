import type { Max } from "../../core/limits/boundary.ts";
import { of, sum } from "./amounts.ts";
import type { Maxima } from "./store.ts";

/** What a provider told of a window of a subscription. */
export interface WindowReading {
  /** How much of it is used, as stores keep it, and when it starts over, in milliseconds since 1970. */
  readonly used: number;
  readonly resets: number;
}

/** The newest readings, by subscription and limit: `anthropic plan per 5h`. */
export type Readings = Readonly<Record<string, WindowReading>>;

/** Is it the limit of a window of a subscription? Its usage is told, not counted. */
export function isOfPlan(measure: string): boolean {
  return measure.startsWith("plan per ");
}

/** The name of a reading. */
export function readingName(subscription: string, measure: string): string {
  return `${subscription} ${measure}`;
}

/** How much of a window is used, and of how much, as stores keep it. */
export interface WindowStanding {
  /** Its reading. Left out: there is none that still holds. */
  readonly name?: string;
  readonly used: number;
  readonly max: Max;
  /** When it starts over, as far as that is known. */
  readonly resets?: number;
}

/** Is it the name of a reading? What was allowed in that window is known by it. */
export function isReadingName(name: string): boolean {
  return /^\S+ plan per /.test(name);
}

/**
 * Where the limit of a window stands: of several subscriptions the one of which least is left. Of a window that has started
 * over since its last reading, nothing is used.
 */
export function windowStanding(
  { readings = {}, extra }: { readonly readings?: Readings; readonly extra: Maxima },
  { measure, max, subscription }: { measure: string; max: Max; subscription?: string | undefined },
  now: number,
): WindowStanding {
  const forAll = sum(max, of(extra, measure));
  const current = Object.entries(readings).flatMap(([name, { used, resets }]) => {
    const isOfLimit =
      subscription === undefined ? name.endsWith(` ${measure}`) : name === readingName(subscription, measure);
    return isOfLimit && now < resets ? [{ name, used, resets, max: sum(forAll, of(extra, name)) }] : [];
  });
  const [first = { used: 0, max: forAll }, ...others] = current;
  return others.reduce<WindowStanding>((least, other) => (left(other) < left(least) ? other : least), first);
}

function left({ used, max }: WindowStanding): number {
  return max === "unlimited" ? Infinity : max - used;
}

/** The state with new readings. What was allowed in a window that is over holds no longer. */
export function withNewReadings<State extends { readonly readings?: Readings; readonly extra: Maxima }>(
  state: State,
  readings: Readings,
  now: number,
): State {
  const over = Object.keys(readings).filter((name) => (state.readings?.[name]?.resets ?? now) <= now);
  const ended = over.flatMap((name) => [name, name.slice(name.indexOf(" ") + 1)]);
  const extra = Object.entries(state.extra).filter(([name]) => !ended.includes(name));
  return { ...state, readings: { ...state.readings, ...readings }, extra: Object.fromEntries(extra) };
}
