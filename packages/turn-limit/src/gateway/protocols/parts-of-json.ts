import { isAmount, isPlainObject } from "../../core/checks.ts";
import type { Json } from "./protocol.ts";

/** The value of a JSON text. `undefined`: it is not valid. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value, if it is an object. Otherwise an empty one. */
export function objectIn(value: unknown): Json {
  return isPlainObject(value) ? value : {};
}

/** The objects in a list. If it is not a list, there are none. */
export function objectsIn(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}

/** Is it a list that is not empty? */
export function isFilledList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}

/** The value, if it is a text that is not empty. */
export function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** How many bytes the texts among these have. */
export function bytesOfTexts(...values: unknown[]): number {
  return values.reduce<number>(
    (sum, text) => sum + (typeof text === "string" ? Buffer.byteLength(text) : 0),
    0,
  );
}

/** A number of tokens. `NaN`: it is not a valid one. */
export function tokens(value: unknown): number {
  return isAmount(value) ? value : Number.NaN;
}

/** A number of tokens that is 0 where it is left out. */
export function tokensOrNone(value: unknown): number {
  return value === undefined || value === null ? 0 : tokens(value);
}

/** The tokens of an input that includes those that were read from a cache. */
export function inputAndCache(input: unknown, cached: unknown): { input: number; cacheRead: number } {
  const cacheRead = tokensOrNone(cached);
  return { input: Math.max(0, tokens(input) - cacheRead), cacheRead };
}
