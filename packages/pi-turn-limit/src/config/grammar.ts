import type { Max } from "turn-limit";
import type { Claims, Headless, Steps } from "./LimitValues.ts";

/** Reads a whole number from 0 on in plain digits. Anything else is `undefined`. */
function parseCount(text: string): number | undefined {
  return /^[0-9]+$/.test(text) ? countOf(Number(text)) : undefined;
}

/** Returns `value` if it is a whole number from `least` on that can be counted exactly. */
export function countOf(value: unknown, least = 0): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= least ? value : undefined;
}

/** Reads `25`, `unlimited` or `25 grace 3`, in any case. */
export function parseTurns(text: string): Claims | undefined {
  const [first = "", word, third = "", ...rest] = words(text);
  const turns = maxOf(first === "unlimited" ? first : parseCount(first));
  if (turns === undefined) return undefined;
  if (word === undefined) return { turns };
  const grace = word === "grace" && rest.length === 0 ? parseCount(third) : undefined;
  return grace === undefined ? undefined : { turns, grace };
}

/** Reads `3`. */
export function parseGrace(text: string): Claims | undefined {
  const grace = parseCount(text.trim());
  return grace === undefined ? undefined : { grace };
}

/** Reads `40`, `40 raise`, `40 synthesize` or `unlimited`, in any case. */
export function parseSteps(text: string): Claims | undefined {
  const [first = "", policy, ...rest] = words(text);
  if (rest.length > 0) return undefined;
  if (first === "unlimited") return policy === undefined ? { steps: first } : undefined;
  const steps = stepsOf({ max: parseCount(first), ...(policy !== undefined && { onExhausted: policy }) });
  return steps && { steps };
}

/** Is this a turn limit as a settings file has it? */
export function maxOf(value: unknown): Max | undefined {
  return isUnlimited(value) ? "unlimited" : countOf(value);
}

/** Is this a step limit as a settings file has it? */
export function stepsOf(value: unknown): Steps | undefined {
  if (isUnlimited(value)) return "unlimited";
  const { max, onExhausted = "raise", ...rest } = isObject(value) ? value : { max: value };
  const count = countOf(max, 1);
  if (count === undefined || Object.keys(rest).length > 0) return undefined;
  return onExhausted === "raise" || onExhausted === "synthesize" ? { max: count, onExhausted } : undefined;
}

/** Is this a policy for the turn limit without a UI? */
export function headlessOf(value: unknown): Headless | undefined {
  return value === "stop" || value === "synthesize" ? value : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isUnlimited(value: unknown): boolean {
  return typeof value === "string" && value.toLowerCase() === "unlimited";
}

/** The words of a text, in lower case. */
export function words(text: string): string[] {
  return text.trim().toLowerCase().split(/\s+/);
}
