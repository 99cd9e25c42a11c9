import { joinedTexts, type Turn } from "../../run/turn.ts";
import { isFilledList } from "../protocols/parts-of-json.ts";
import type { Json } from "../protocols/protocol.ts";
import type { CountedRequest } from "./verdict.ts";

/**
 * The body of a request with what the model is told in its turn: of a loop that it is in, to wrap up, what is left, or, in the
 * last turn, to answer. `undefined`: nothing is told, or the body cannot be serialised again, and stays as it is.
 */
export function toldBody(
  { protocol, body }: CountedRequest,
  turn: Turn,
  loop: string | undefined,
  wrapUp: string | undefined,
): Buffer | undefined {
  const message = turn.tools ? joinedTexts(loop, wrapUp, turn.told) : turn.message;
  if (!message || !protocol || !body) return undefined;
  try {
    const { finalTool } = turn;
    const last = finalTool ? protocol.holdTo(body, finalTool) : protocol.withoutTools(body);
    const changed: Json = protocol.withMessage(turn.tools ? body : last, message);
    return Buffer.from(JSON.stringify(changed));
  } catch {
    return undefined;
  }
}

/** Can something be told in it, without a profile? Then nobody knows which requests are turns, and what has no tools is likely to be none. */
export function offersTools({ protocol, body }: CountedRequest): boolean {
  return protocol !== undefined && (isFilledList(body?.tools) || isFilledList(body?.functions));
}
