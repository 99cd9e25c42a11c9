import { isFamily, type LimitTable, piLimits, withPeriods } from "../limits/pi-limits.ts";
import { type Entry, type Settings, settingsFrom } from "./settings.ts";

/**
 * What holds for a sub-agent where no source says otherwise: where it would be stopped, it answers without tools instead,
 * so that whoever gave it the task gets what it has found out.
 */
export function subAgentDefaults(table: LimitTable = piLimits): Settings {
  const limits = table.flatMap((row) => (isFamily(row) ? [] : withPeriods(row)));
  const entries = limits.flatMap(({ key }): Entry[] => [
    [[key, "onExhausted"], "ask"],
    [[key, "headless"], "synthesize"],
  ]);
  return settingsFrom(entries);
}
