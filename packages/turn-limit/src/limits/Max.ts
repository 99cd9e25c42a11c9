import { InvalidLimit } from "../errors/InvalidLimit.ts";

/** How much a limit admits: a number from 0 on, whole where units are counted, or no limit at all. */
export type Max = number | "unlimited";

/** Is one more unit beyond what `max` admits? The one rule of every limit. */
export function isReached(used: number, max: Max): boolean {
  return max !== "unlimited" && used >= max;
}

/** Returns `value` if it is a whole {@link Max}, otherwise throws {@link InvalidLimit}. */
export function requireMax(name: string, value: unknown): Max {
  if (value === "unlimited" || isCount(value)) return value;
  throw new InvalidLimit(name, value, 'a whole number from 0 on, or "unlimited"');
}

/** Returns `value` if it is a whole number from `least` on, otherwise throws {@link InvalidLimit}. */
export function requireCount(name: string, value: unknown, least = 0): number {
  if (isCount(value) && value >= least) return value;
  throw new InvalidLimit(name, value, `a whole number from ${least} on`);
}

/** Returns `value` if it is a {@link Max}, whole or not, otherwise throws {@link InvalidLimit}. */
export function requireMaxAmount(name: string, value: unknown): Max {
  if (value === "unlimited" || isAmount(value)) return value;
  throw new InvalidLimit(name, value, 'a number from 0 on, or "unlimited"');
}

/** Returns `value` if it is a number from 0 on, otherwise throws {@link InvalidLimit}. */
export function requireAmount(name: string, value: unknown): number {
  if (isAmount(value)) return value;
  throw new InvalidLimit(name, value, "a number from 0 on");
}

function isCount(value: unknown): value is number {
  return isAmount(value) && Number.isSafeInteger(value);
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
