import type { Max } from "turn-limit";
import { type PeriodLimit, type PeriodOptions, readPeriodName } from "../limits/periods.ts";
import type { LimitValues, PeriodKind } from "../limits/pi-limits.ts";
import { limitsIn, type Settings, valueAt } from "./settings.ts";

/** The limits for a prompt: the settings without those that have a period. */
export function limitsPerPrompt(values: Settings): LimitValues {
  const entries = Object.entries(values).filter(([name]) => readPeriodName(name) === undefined);
  return Object.fromEntries(entries) as LimitValues;
}

/** The limits that hold for a period. */
export function periodLimitsIn(values: Settings): PeriodLimit[] {
  return limitsIn(values).flatMap((limit): PeriodLimit[] => {
    const { kind, per } = readPeriodName(limit.key) ?? {};
    const { max, ...options } = (valueAt(values, [limit.key]) ?? {}) as { max: Max } & PeriodOptions;
    if (kind === undefined || per === undefined || max === "unlimited") return [];
    return [{ name: limit.key, kind: kind as PeriodKind, max, per, options }];
  });
}
