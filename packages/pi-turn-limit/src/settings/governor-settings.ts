import type { CustomLimit, GovernorSettings } from "turn-limit";
import { type LimitValues, nameOfRefused } from "../limits/pi-limits.ts";

/**
 * What the governor takes. `grace` says when another extension wants the wrap-up, if one does; `refused`: where limits
 * were set that cannot be used.
 */
export function governorSettings(
  { boundary: _, turns, ...limits }: LimitValues,
  grace: () => number | undefined,
  refused: readonly string[] = [],
): GovernorSettings {
  const { message, ...turnSettings } = turns;
  return {
    ...limits,
    turns: { ...turnSettings, wrapUp: { grace, ...(message !== "" && { message }) } },
    limits: refused.length === 0 ? [] : [beforeTheFirstTurn(refused)],
  };
}

/** One boundary for all of them, before the first turn of a run, and none after it. */
function beforeTheFirstTurn(refused: readonly string[]): CustomLimit {
  return { name: nameOfRefused(refused), max: 1, used: ({ turns }) => (turns === 0 ? 1 : 0) };
}
