import type { Max, Unpriced } from "turn-limit";
import { PER } from "../core.ts";
import type { PeriodKind } from "./pi-limits.ts";
import type { Policy } from "./setting.ts";

/** What a limit can hold for instead of one prompt, the shortest first. */
export const PERIODS = ["session", "day", "week", "month"] as const;

export type Period = (typeof PERIODS)[number];

/** A limit that holds for a period, as the session gets it. One that is unlimited is left out. */
export interface PeriodLimit {
  /** Its name everywhere: `cost per day`. */
  readonly name: string;
  readonly kind: PeriodKind;
  readonly max: Max;
  readonly per: Period;
  readonly options: PeriodOptions;
}

/** What a limit with a period says besides its maximum. */
export interface PeriodOptions {
  readonly onExhausted: Policy;
  readonly headless: Exclude<Policy, "ask">;
  /** Of a cost. */
  readonly unpriced?: Unpriced;
  /** Of tokens. */
  readonly cacheReads?: boolean;
  readonly cacheWrites?: boolean;
}

const NOW: Record<Period, string> = {
  session: "in this session",
  day: "today",
  week: "this week",
  month: "this month",
};

/** When something was used: `today`, `in this session`. */
export function nowIn(period: Period): string {
  return NOW[period];
}

/** For what a limit holds: `per day`. */
export function perText(period: Period | "prompt"): string {
  return `${PER} ${period}`;
}

/** The period of this name; nothing if there is none. */
export function periodCalled(name: unknown): Period | undefined {
  return PERIODS.find((period) => period === name);
}

/** Does a limit for it start over by itself? Of a session nobody knows when another one begins. */
export function startsOver(period: Period): boolean {
  return period !== "session";
}

/** The name of a limit with a period: `cost per day`. */
export function nameWithPeriod(kind: string, period: Period): string {
  return `${kind} ${perText(period)}`;
}
