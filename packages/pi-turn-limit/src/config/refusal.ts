/** A sentence that says what was wrong, where it came from and what is allowed. */
export function refusal(name: string, value: unknown, source: string, allowed: string): string {
  return `Invalid ${name} ${shown(value)} from ${source}. Allowed: ${allowed}. It is ignored.`;
}

/** Several forms in a sentence: `a, b, or c`. */
export function either(forms: readonly string[]): string {
  return forms.length < 2 ? forms.join() : `${forms.slice(0, -1).join(", ")}, or ${forms.at(-1)}`;
}

// JSON has no word for a number too large to be one, though JSON.parse makes one of it.
function shown(value: unknown): string {
  return typeof value === "number" ? String(value) : JSON.stringify(value);
}
