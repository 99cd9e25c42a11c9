import type { Max } from "turn-limit";

/** Reads `25` or `unlimited` (in any case, white space around it ignored). Anything else is `undefined`. */
export function parseMaxText(text: string): Max | undefined {
  const word = text.trim();
  if (word.toLowerCase() === "unlimited") return "unlimited";
  return /^[0-9]+$/.test(word) ? parseMaxJson(Number(word)) : undefined;
}

/** Reads `25` or `"unlimited"` as a settings file has them. Anything else is `undefined`. */
export function parseMaxJson(value: unknown): Max | undefined {
  if (typeof value === "string" && value.toLowerCase() === "unlimited") return "unlimited";
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Does `max` admit more than `other`? */
export function admitsMore(max: Max, other: Max): boolean {
  if (other === "unlimited") return false;
  return max === "unlimited" || max > other;
}
