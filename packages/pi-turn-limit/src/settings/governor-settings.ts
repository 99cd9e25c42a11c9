import type { GovernorSettings, Limit, Max, Totals } from "turn-limit";
import { identifiedLimit } from "../core.ts";
import { limitAt, withPeriods } from "../limits/limit-of.ts";
import { nameOfRefused, type RefusedIdentity, type RefusedSource } from "../limits/other-boundaries.ts";
import type { PeriodLimit, PeriodOptions } from "../limits/periods.ts";
import { type LimitValues, type PeriodKind, singleLimits } from "../limits/pi-limits.ts";
import { type Entry, limitsIn, type Settings, settingsFrom, valueAt } from "./settings.ts";

/**
 * What the governor takes. `grace` says when another extension wants the wrap-up, if one does; `refused`: where limits
 * were set that cannot be used.
 */
export function governorSettings(
  { boundary: _, plan: _windows, tell: _line, turns, ...limits }: LimitValues,
  grace: () => number | undefined,
  refused: readonly RefusedSource[] = [],
): GovernorSettings {
  const { message, ...turnSettings } = turns;
  return {
    ...limits,
    turns: { ...turnSettings, wrapUp: { grace, ...(message !== "" && { message }) } },
    limits: refused.length === 0 ? [] : [beforeTheFirstTurn(refused)],
  };
}

/** One boundary for all of them, before the first turn of a run, and none after it. */
function beforeTheFirstTurn(sources: readonly RefusedSource[]): Limit {
  const identity: RefusedIdentity = { kind: "custom", sources };
  const limit = { name: nameOfRefused(sources), max: 1, used: ({ turns }: Totals) => (turns === 0 ? 1 : 0) };
  return identifiedLimit(limit, identity);
}

/** The limits for a prompt: the settings without those that have a period. */
export function limitsPerPrompt(values: Settings): LimitValues {
  const entries = Object.entries(values).filter(([name]) => limitAt([name])?.per === undefined);
  return Object.fromEntries(entries) as LimitValues;
}

/** The limits that hold for a period. */
export function periodLimitsIn(values: Settings): PeriodLimit[] {
  return limitsIn(values).flatMap((limit): PeriodLimit[] => {
    const { kind, per } = limit;
    const { max, ...options } = (valueAt(values, [limit.key]) ?? {}) as { max: Max } & PeriodOptions;
    if (kind === undefined || per === undefined || max === "unlimited") return [];
    return [{ name: limit.key, kind: kind as PeriodKind, max, per, options }];
  });
}

/**
 * What holds for a sub-agent where no source says otherwise: where it would be stopped, it answers without tools instead,
 * so that whoever gave it the task gets what it has found out.
 */
export function subAgentDefaults(): Settings {
  const entries = singleLimits.flatMap(withPeriods).flatMap(({ key }): Entry[] => [
    [[key, "onExhausted"], "ask"],
    [[key, "headless"], "synthesize"],
  ]);
  return settingsFrom(entries);
}
