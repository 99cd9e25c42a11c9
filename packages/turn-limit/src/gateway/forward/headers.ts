import type { IncomingMessage } from "node:http";
import type { Outgoing } from "./outgoing.ts";
import type { Way } from "./upstream-connections.ts";

/** Headers as they came, names and values in turn: their order, case and duplicates are those of the sender. */
type RawHeaders = readonly string[];

/** How long the headers of a request or an answer may be. */
export const MAX_HEADER_BYTES = 256 * 1024;

const HOP_BY_HOP = new Set(["connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"]);

/** Most headers `Connection` are one of these. */
const NAMES_NO_HEADER = new Set(["keep-alive", "close"]);

/** These say something about the bytes of a body, and are wrong for another one. */
const OF_THE_BYTES = new Set(["content-encoding", "content-md5", "content-digest", "digest"]);

/** Methods whose requests say nothing of a body when they have none. */
const WITHOUT_BODY = new Set(["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"]);

/** The headers with which a request is sent on, to this address. */
export function requestHeaders(
  { rawHeaders: received, method = "GET", headers }: IncomingMessage,
  { body, isRewritten, wantsPlain }: Outgoing,
  { hostHeader, headers: added, credentials }: Pick<Way, "hostHeader" | "headers" | "credentials">,
): string[] {
  const sent: string[] = [];
  const named = namedBy(headers.connection);
  let isHostSent = false;
  let isLengthSent = false;
  for (let at = 0; at < received.length; at += 2) {
    const name = received[at] as string;
    const lower = name.toLowerCase();
    if (lower === "host") {
      if (!isHostSent) sent.push(name, hostHeader);
      isHostSent = true;
    } else if (lower === "content-length") {
      if (!isLengthSent) sent.push(name, `${body?.length ?? 0}`);
      isLengthSent = true;
    } else if (lower === "accept-encoding" && wantsPlain) {
      sent.push(name, "identity");
    } else if (isHop(lower, named) || lower === "expect" || (isRewritten && OF_THE_BYTES.has(lower))) {
      // `Expect` has been met: the body is here.
    } else {
      sent.push(name, received[at + 1] as string);
    }
  }
  if (!isHostSent) sent.push("Host", hostHeader);
  if (!isLengthSent && (body || !WITHOUT_BODY.has(method)))
    sent.push("Content-Length", `${body?.length ?? 0}`);
  sent.push(...added);
  if (credentials !== undefined && headers.authorization === undefined)
    sent.push("Authorization", credentials);
  return sent;
}

/** The headers with which an answer is passed on. */
export function answerHeaders(received: RawHeaders): string[] {
  const sent: string[] = [];
  let named: ReadonlySet<string> | undefined;
  for (let at = 0; at < received.length; at += 2) {
    const name = received[at] as string;
    const lower = name.toLowerCase();
    if (lower === "connection") named = namedBy(received[at + 1] as string, named);
    else if (!isHop(lower, undefined)) sent.push(name, received[at + 1] as string);
  }
  return named ? without(sent, named) : sent;
}

/** The headers, in small letters, that a header `Connection` names. `undefined`: none. */
function namedBy(value: string | undefined, before?: ReadonlySet<string>): ReadonlySet<string> | undefined {
  if (value === undefined || NAMES_NO_HEADER.has(value)) return before;
  return new Set([...(before ?? []), ...value.split(",").map((token) => token.trim().toLowerCase())]);
}

/** Is a header, in small letters, only meant for the connection that it came by? */
function isHop(lower: string, named: ReadonlySet<string> | undefined): boolean {
  return HOP_BY_HOP.has(lower) || lower.startsWith("proxy-") || named?.has(lower) === true;
}

function without(headers: RawHeaders, named: ReadonlySet<string>): string[] {
  const left: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] as string;
    if (!named.has(name.toLowerCase())) left.push(name, headers[at + 1] as string);
  }
  return left;
}
