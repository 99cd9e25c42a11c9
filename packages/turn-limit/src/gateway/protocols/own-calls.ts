import { randomUUID } from "node:crypto";
import { edited } from "./json-edits.ts";
import { objectIn, parsed } from "./parts-of-json.ts";
import type { Protocol, SeenCall } from "./protocol.ts";

// Calls that a gateway made in the place of a model. Their ids say so, to every later gateway, too.

const OWN = "ask_turn_limit_";

/** Hardly any request has this, and its first letter is rare: looking for `OWN` itself would stop at each "a". */
const RARE_PART = Buffer.from("_turn_limit_");

/** An id for a call of the gateway's own. Nobody can guess it. */
export function ownCallId(): string {
  return OWN + randomUUID().replaceAll("-", "");
}

/** Was a call with this id made by a gateway? */
export function isOwnCall(id: unknown): id is string {
  return typeof id === "string" && id.startsWith(OWN);
}

/** A request without the calls that gateways made. */
export interface WithoutOwnCalls {
  readonly bytes: Buffer;
  /** Those of the calls that have results. */
  readonly calls: readonly SeenCall[];
}

/**
 * The request without calls of gateways and their results; the rest stays as it is, byte for byte. `undefined`: there are none
 * in it.
 */
export function withoutOwnCalls(protocol: Protocol, bytes: Uint8Array): WithoutOwnCalls | undefined {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!buffer.includes(RARE_PART) || !buffer.includes(OWN)) return undefined;
  const text = buffer.toString();
  const body = objectIn(parsed(text));
  const edits = protocol.withoutCalls(body, isOwnCall);
  if (edits.length === 0) return undefined;
  const calls = protocol.calls(body).filter(({ id }) => isOwnCall(id));
  return { bytes: Buffer.from(edited(text, edits)), calls };
}
