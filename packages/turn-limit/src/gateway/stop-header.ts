import type { IncomingHttpHeaders } from "node:http";
import { isPlainObject } from "../core/checks.ts";
import { type Boundary, boundaryAlone } from "../core/limits/boundary.ts";
import { parsed, textIn } from "./protocols/parts-of-json.ts";

/** By this header the gateway of a run tells that of a run inside it which limit was reached. */
const STOPPED = "x-turn-limit-stopped";

/** The header of an answer that is given because this limit was reached. */
export function stopHeader(by: Boundary | undefined): Record<string, string> {
  // The name of a pool may have any character.
  return by ? { [STOPPED]: encodeURIComponent(JSON.stringify(boundaryAlone(by))) } : {};
}

/** What that header says. `undefined`: the answer has none. */
export function stopOf(headers: IncomingHttpHeaders): string | undefined {
  return textIn(headers[STOPPED]);
}

/** The limit of the run outside. `undefined`: it cannot be read. */
export function stopIn(said: string): Boundary | undefined {
  const boundary = parsed(decoded(said));
  if (!isBoundary(boundary)) return undefined;
  return { ...boundaryAlone(boundary), limit: `${boundary.limit} of the run around this one` };
}

function isBoundary(value: unknown): value is Boundary {
  if (!isPlainObject(value) || !isPlainObject(value.identity)) return false;
  const { limit, identity, used, max, why } = value;
  const isMax = typeof max === "number" || max === "unlimited";
  const isNamed = textIn(limit) !== undefined && textIn(identity.kind) !== undefined;
  return isNamed && typeof used === "number" && isMax && (why === undefined || typeof why === "string");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
