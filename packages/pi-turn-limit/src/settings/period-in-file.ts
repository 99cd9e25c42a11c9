import { nearestWord, PER } from "../core.ts";
import { nameWithPeriod, type Period, periodCalled } from "../limits/periods.ts";
import type { PiLimit } from "../limits/pi-limit.ts";
import { isObject } from "./settings.ts";

/** What a limit in a settings file says about its period. */
export interface PeriodSaid {
  /** The key that says it, which may be misspelt. */
  readonly key: string;
  /** Left out where it is none. */
  readonly per?: Period;
}

/** The names that an object for this limit may have in a settings file. */
export function namesIn({ settings, spent, per }: PiLimit): string[] {
  const [max = "", ...others] = Object.keys(settings);
  return spent || per ? [max, PER, ...others] : [max, ...others];
}

/** What this limit says about its period; nothing if it says nothing. */
export function periodSaid(limit: PiLimit, value: unknown): PeriodSaid | undefined {
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, PER)) {
    const per = periodCalled(value[PER]);
    return { key: PER, ...(per && { per }) };
  }
  const key = limit.spent && Object.keys(value).find((key) => isMisspelt(key, value[key], namesIn(limit)));
  return key === undefined ? undefined : { key };
}

// As a limit for a prompt it would allow more than what was meant.
function isMisspelt(key: string, value: unknown, known: readonly string[]): boolean {
  if (known.includes(key)) return false;
  const looksLikeIt = key.toLowerCase().startsWith(PER) || nearestWord(key, [PER]) !== undefined;
  return looksLikeIt || periodCalled(value) !== undefined;
}

/** The name of the limit that this one of a list is; nothing if its period is none. */
export function nameInList(limit: PiLimit, value: unknown): string | undefined {
  const said = periodSaid(limit, value);
  if (said === undefined) return limit.key;
  return said.per && nameWithPeriod(limit.key, said.per);
}
