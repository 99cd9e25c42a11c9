import { InvalidLimit, unknownSetting } from "./errors/invalid-limit.ts";

/** Returns the value if it is what it must be, otherwise throws {@link InvalidLimit}, which calls it `name`. */
export type Check<T> = (value: unknown, name: string) => T;

type Fields = Record<string, Check<unknown>>;
type Checked<F extends Fields> = { [K in keyof F]: ReturnType<F[K]> };

/** Makes a check from a predicate. `allowed` says in words what it accepts. */
export function check<T>(accepts: (value: unknown) => boolean, allowed: string): Check<T> {
  return (value, name) => {
    if (accepts(value)) return value as T;
    throw new InvalidLimit(name, value, allowed);
  };
}

/** A finite number of 0 or more. */
export function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < Infinity;
}

export const amount: Check<number> = check(isAmount, "a number of 0 or more");

/** A whole number of `least` or more. */
export function count(least = 0): Check<number> {
  return check((value) => Number.isSafeInteger(value) && (value as number) >= least, wholeNumber(least));
}

export function wholeNumber(least: number): string {
  return `a whole number of ${least} or more`;
}

export const flag: Check<boolean> = check((value) => typeof value === "boolean", "true or false");

export const text: Check<string> = check((value) => typeof value === "string", "a text");

/** One of several words. */
export function oneOf<const Word extends string>(...words: Word[]): Check<Word> {
  const quoted = words.map((word) => `"${word}"`);
  const last = quoted.pop();
  return check(
    (value) => words.includes(value as Word),
    quoted.length > 0 ? `${quoted.join(", ")} or ${last}` : `${last}`,
  );
}

export const anyFunction: Check<() => unknown> = check((value) => typeof value === "function", "a function");

/** What the other check accepts; if left out, `initial`. */
export function optional<T, const I>(other: Check<T>, initial: I): Check<T | I> {
  return (value, name) => (value === undefined ? initial : other(value, name));
}

/** Is it a plain object? A list or a map is not: it keeps its values elsewhere. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return Object.prototype.toString.call(value) === "[object Object]";
}

/**
 * Makes an object, and the objects and lists in it, unchangeable. Functions are left alone, and so is what is frozen already:
 * only limits are, which are frozen as a whole.
 */
export function deepFreeze<T>(value: T): T {
  if (Object.isFrozen(value) || (!isPlainObject(value) && !Array.isArray(value))) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}

/** An object with these fields and no others. A field that accepts `undefined` may be missing. Returns a copy. */
export function object<F extends Fields>(fields: F): Check<Checked<F>> {
  const names = Object.keys(fields);
  const checks = Object.entries(fields);
  return (value, name) => {
    const path = name && `${name}.`;
    if (!isPlainObject(value))
      throw new InvalidLimit(name || "settings", value, `an object with ${names.join(", ")}`);
    for (const key of Object.keys(value))
      if (!Object.hasOwn(fields, key)) throw unknownSetting(path + key, value[key], names);
    const checked: Record<string, unknown> = {};
    for (const [key, other] of checks) checked[key] = other(value[key], path + key);
    return checked as Checked<F>;
  };
}

/** Throws unless the value is an object with no other fields than these. For what is checked at every turn. */
export function requireFields(value: unknown, name: string, known: readonly string[]): void {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new InvalidLimit(name, value, `an object with ${known.join(", ")}`);
  for (const key in value) {
    if (!known.includes(key)) throw unknownSetting(`${name}.${key}`, Object(value)[key], known);
  }
}

/** An object whose every value the other check accepts. Returns a copy without a prototype: keys can be any text. */
export function record<T>(other: Check<T>): Check<Record<string, T>> {
  return (value, name) => {
    if (!isPlainObject(value)) throw new InvalidLimit(name, value, "an object with a value for each name");
    const copy: Record<string, T> = Object.create(null);
    for (const key of Object.keys(value)) copy[key] = other(value[key], `${name}.${key}`);
    return copy;
  };
}

/** A list whose every item the other check accepts. Returns a copy. */
export function list<T>(other: Check<T>): Check<T[]> {
  return (value, name) => {
    if (!Array.isArray(value)) throw new InvalidLimit(name, value, "a list");
    return value.map((item, index) => other(item, `${name}[${index}]`));
  };
}
