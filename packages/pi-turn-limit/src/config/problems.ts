/** A bad value: what it was, where it came from and what is allowed. */
export function refusal(name: string, value: unknown, source: string, allowed: string): string {
  return `Invalid ${name} ${shown(value)} from ${source}. Allowed: ${allowed}. It is ignored.`;
}

/** A setting that does not exist, with those that do. */
export function unknownSetting(key: string, file: string, known: readonly string[]): string {
  return `Unknown setting "${key}" in ${file}. Known settings: ${known.join(", ")}.`;
}

/** Several forms in a sentence: `a, b, or c`. */
export function either(forms: readonly string[]): string {
  return forms.length < 2 ? forms.join() : `${forms.slice(0, -1).join(", ")}, or ${forms.at(-1)}`;
}

const LONGEST = 200;

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
