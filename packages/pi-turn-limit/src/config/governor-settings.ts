import type { GovernorSettings } from "turn-limit";
import type { LimitValues } from "../limits/pi-limits.ts";

/** What the governor takes. `grace` says when another extension wants the wrap-up, if one does. */
export function governorSettings(
  { boundary: _, turns, ...limits }: LimitValues,
  grace: () => number | undefined,
): GovernorSettings {
  const { message, ...turnSettings } = turns;
  return { ...limits, turns: { ...turnSettings, wrapUp: { grace, ...(message !== "" && { message }) } } };
}
