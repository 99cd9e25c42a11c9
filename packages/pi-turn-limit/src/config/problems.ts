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

// `JSON.stringify` writes Infinity as null, and `JSON.parse` makes Infinity of a number that is too large.
function shown(value: unknown): string {
  return typeof value === "number" ? String(value) : JSON.stringify(value);
}
