import type { Max } from "turn-limit";
import { invalid, nearestWord } from "../core.ts";
import type { PiLimit } from "../limits/pi-limit.ts";
import { limitsIn, type Settings, valueFor } from "./settings.ts";

/**
 * A bad value in a settings file, or a word that is not known.
 *
 * @example
 * refusal("turn limit", -1, 'a whole number of 0 or more, or "unlimited"')
 * // Invalid turn limit. Use a whole number of 0 or more, or "unlimited", not -1.
 */
export function refusal(name: string, value: unknown, allowed: string): string {
  return invalid(name, `Use ${allowed}, not ${shown(value)}.`);
}

/** A setting that does not exist, with those that do; `path` leads to where it stands. */
export function unknownSetting(key: string, known: readonly string[], path: readonly string[] = []): string {
  const named = (name: string) => `"${[...path, name].join(".")}"`;
  const meant = nearestWord(key, known);
  const guess = meant === undefined ? "" : ` Did you mean ${named(meant)}?`;
  return `${named(key)} is not a setting.${guess} Use ${known.join(", ")}.`;
}

/** Everything that is wrong in a file as one message, if there is anything. */
export function aboutFile(path: string, problems: readonly string[]): string[] {
  if (problems.length === 0) return [];
  return [problems.length === 1 ? `${path}: ${problems[0]}` : [`${path}:`, ...problems].join("\n  ")];
}

/** Several forms in a sentence: `a, b, or c`. */
export function either(forms: readonly string[]): string {
  return forms.length < 2 ? forms.join() : `${forms.slice(0, -1).join(", ")}, or ${forms.at(-1)}`;
}

/** What is set and does nothing, in sentences for the person: a grace or a reserve that its limit leaves no room for. */
export function withoutEffect(values: Settings, limits: readonly PiLimit[] = limitsIn(values)): string[] {
  return limits.flatMap((limit) => {
    const { noun, settings } = limit;
    const max = valueFor(values, limit) as Max;
    return Object.entries(settings).flatMap(([name, setting]) => {
      const value = valueFor(values, limit, name);
      if (!setting.hasNoEffect?.(value, max)) return [];
      const said = `The ${setting.name(noun)} of ${setting.format(value)} has no effect`;
      const maximum = settings.max.name(noun);
      return max === "unlimited"
        ? [`${said}: there is no ${maximum}.`]
        : [`${said} with a ${maximum} of ${settings.max.format(max)}. Use less than the limit.`];
    });
  });
}

const LONGEST = 60;

/** A value as it stands in a message: short, and whatever it is. */
function shown(value: unknown): string {
  const text = textOf(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function textOf(value: unknown): string {
  // `JSON.stringify` writes Infinity as null, and `JSON.parse` makes Infinity of a number that is too large.
  if (typeof value === "number") return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    return "(nested too deeply to be shown)";
  }
}
