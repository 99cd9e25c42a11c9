import { isAmount, isPlainObject } from "../../core/checks.ts";
import type { JsonEdit, JsonPath } from "./json-edits.ts";
import type { Json, OfferedTool, SeenCall } from "./protocol.ts";

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

/** The calls that have results, in their order, by their ids. */
export function withResults(
  calls: readonly Omit<SeenCall, "result">[],
  results: ReadonlyMap<string, unknown>,
): SeenCall[] {
  return calls.filter(({ id }) => results.has(id)).map((call) => ({ ...call, result: results.get(call.id) }));
}

/** A tool that is offered, by its definition. */
export function offeredTool({ name, description }: Json): OfferedTool {
  return { name: String(name), description: textIn(description) };
}

/** What takes the items of a list out for which this is true. */
export function withoutItems(list: unknown, isOne: (item: Json) => boolean, path: JsonPath): JsonEdit[] {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  return items.flatMap((item, at) => (isOne(objectIn(item)) ? [{ path: [...path, at] }] : []));
}

/** What takes parts out of messages. A message of which nothing would be left goes, too. */
export function withoutParts(
  messages: unknown,
  list: string,
  isOne: (part: Json) => boolean,
  path: JsonPath,
): JsonEdit[] {
  const all: readonly unknown[] = Array.isArray(messages) ? messages : [];
  return all.flatMap((message, at) => {
    const parts = objectIn(message)[list];
    const edits = withoutItems(parts, isOne, [...path, at, list]);
    const isAll = edits.length > 0 && edits.length === (parts as unknown[]).length;
    return isAll ? [{ path: [...path, at] }] : edits;
  });
}

/** The arguments of a call, which some protocols have as a text. */
export function argumentsIn(value: unknown): unknown {
  return typeof value === "string" ? (parsed(value) ?? value) : value;
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
