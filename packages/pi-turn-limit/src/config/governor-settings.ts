import type { LimitValues } from "../limits/pi-limits.ts";

/** What the governor takes: the limits, with the wrap-up message where the core expects it. */
export type GovernorSettings = ReturnType<typeof governorSettings>;

/** The one place that hands settings to the governor. */
export function governorSettings({ boundary: _, turns, ...limits }: LimitValues) {
  const { message, ...turnSettings } = turns;
  return { ...limits, turns: { ...turnSettings, wrapUp: message === "" ? {} : { message } } };
}
