import type { Max } from "turn-limit";
import { type PiLimit, pathOf } from "../limits/pi-limit.ts";
import { limitsIn, type Settings, valueAt } from "./settings.ts";

/** What is set and does nothing, in sentences for the person: a grace or a reserve that its limit leaves no room for. */
export function withoutEffect(values: Settings, limits: readonly PiLimit[] = limitsIn(values)): string[] {
  return limits.flatMap((limit) => {
    const { noun, settings } = limit;
    const max = valueAt(values, [...pathOf(limit), "max"]) as Max;
    return Object.entries(settings).flatMap(([name, setting]) => {
      const value = valueAt(values, [...pathOf(limit), name]);
      if (!setting.hasNoEffect?.(value, max)) return [];
      const said = `The ${setting.name(noun)} of ${setting.format(value)} has no effect`;
      const maximum = settings.max.name(noun);
      return max === "unlimited"
        ? [`${said}: there is no ${maximum}.`]
        : [`${said} with a ${maximum} of ${settings.max.format(max)}. Use less than the limit.`];
    });
  });
}
