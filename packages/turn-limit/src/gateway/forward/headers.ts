import type { IncomingMessage } from "node:http";
import type { Outgoing } from "./outgoing.ts";

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

/** The headers with which a request is sent on. `added`: further ones, at the end. */
export function requestHeaders(
  { rawHeaders: received, method = "GET" }: IncomingMessage,
  { url, body, isRewritten, wantsPlain }: Outgoing,
  added: RawHeaders,
): string[] {
  const sent: string[] = [];
  const isHop = hopByHop(received);
  let isHostSent = false;
  let isLengthSent = false;
  for (let at = 0; at < received.length; at += 2) {
    const name = received[at] as string;
    const lower = name.toLowerCase();
    if (lower === "host") {
      if (!isHostSent) sent.push(name, url.host);
      isHostSent = true;
    } else if (lower === "content-length") {
      if (!isLengthSent) sent.push(name, `${body?.length ?? 0}`);
      isLengthSent = true;
    } else if (lower === "accept-encoding" && wantsPlain) {
      sent.push(name, "identity");
    } else if (isHop(lower) || lower === "expect" || (isRewritten && OF_THE_BYTES.has(lower))) {
      // `Expect` has been met: the body is here.
    } else {
      sent.push(name, received[at + 1] as string);
    }
  }
  if (!isHostSent) sent.push("Host", url.host);
  if (!isLengthSent && (body || !WITHOUT_BODY.has(method)))
    sent.push("Content-Length", `${body?.length ?? 0}`);
  sent.push(...added);
  return sent;
}

/** The headers with which an answer is passed on. */
export function answerHeaders(received: RawHeaders): string[] {
  const sent: string[] = [];
  const isHop = hopByHop(received);
  for (let at = 0; at < received.length; at += 2) {
    const name = received[at] as string;
    if (!isHop(name.toLowerCase())) sent.push(name, received[at + 1] as string);
  }
  return sent;
}

/** Is a header, in small letters, only meant for the connection that it came by? */
function hopByHop(headers: RawHeaders): (lower: string) => boolean {
  let named: Set<string> | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    const value = headers[at + 1] as string;
    if (headers[at]?.toLowerCase() !== "connection" || NAMES_NO_HEADER.has(value)) continue;
    named ??= new Set();
    for (const token of value.split(",")) named.add(token.trim().toLowerCase());
  }
  return (lower) => HOP_BY_HOP.has(lower) || lower.startsWith("proxy-") || named?.has(lower) === true;
}
