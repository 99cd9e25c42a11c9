import type { Json } from "../protocols/protocol.ts";

const STRING = /"(?:\\.|[^"\\])*"/.source;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//.source;

/** A JSON object in which comments and commas at the end are allowed. `undefined`: it is none. */
export function jsonObject(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  const bare = text
    .replace(/^\uFEFF/, "")
    .replace(new RegExp(`(${STRING})|${COMMENT}`, "g"), "$1")
    .replace(new RegExp(`(${STRING})|,(?=\\s*[}\\]])`, "g"), "$1");
  try {
    return objectIn(JSON.parse(bare));
  } catch {
    return undefined;
  }
}

/** The value, if it is an object. */
export function objectIn(value: unknown): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

/** The value, if it is a text with something in it. */
export function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
