/** Headers as they came, names and values in turn: their order, case and duplicates are those of the sender. */
export type RawHeaders = readonly string[];

/** How long the headers of a request or an answer may be. */
export const MAX_HEADER_BYTES = 256 * 1024;

const HOP_BY_HOP = new Set(["connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"]);

/** These say something about the bytes of a body, and are wrong for another one. */
const OF_THE_BYTES = new Set(["content-encoding", "content-md5", "content-digest", "digest"]);

/** Methods whose requests say nothing of a body when they have none. */
const WITHOUT_BODY = new Set(["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"]);

/** What a request that is sent on has of its own. */
export interface Addressed {
  readonly method: string;
  readonly host: string;
  /** `undefined`: there is no body. */
  readonly bodyBytes: number | undefined;
  readonly isRewritten: boolean;
  /** Must the answer not be compressed? */
  readonly wantsPlain: boolean;
  /** Added at the end. */
  readonly added: RawHeaders;
}

/** The headers with which a request is sent on. */
export function requestHeaders(received: RawHeaders, to: Addressed): string[] {
  const sent: string[] = [];
  const isHop = hopByHop(received);
  let isHostSent = false;
  let isLengthSent = false;
  for (let at = 0; at < received.length; at += 2) {
    const name = received[at] as string;
    const lower = name.toLowerCase();
    if (lower === "host") {
      if (!isHostSent) sent.push(name, to.host);
      isHostSent = true;
    } else if (lower === "content-length") {
      if (!isLengthSent) sent.push(name, `${to.bodyBytes ?? 0}`);
      isLengthSent = true;
    } else if (lower === "accept-encoding" && to.wantsPlain) {
      sent.push(name, "identity");
    } else if (isHop(lower) || lower === "expect" || (to.isRewritten && OF_THE_BYTES.has(lower))) {
      // `Expect` has been met: the body is here.
    } else {
      sent.push(name, received[at + 1] as string);
    }
  }
  if (!isHostSent) sent.push("Host", to.host);
  if (!isLengthSent && (to.bodyBytes !== undefined || !WITHOUT_BODY.has(to.method))) {
    sent.push("Content-Length", `${to.bodyBytes ?? 0}`);
  }
  sent.push(...to.added);
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
  const named = new Set<string>();
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() !== "connection") continue;
    for (const token of (headers[at + 1] as string).split(",")) named.add(token.trim().toLowerCase());
  }
  return (lower) => HOP_BY_HOP.has(lower) || lower.startsWith("proxy-") || named.has(lower);
}
