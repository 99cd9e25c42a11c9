import type { IncomingMessage } from "node:http";
import { PI_REQUEST } from "./agents/pi.ts";

const THIS_MACHINE = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Takes what an agent says only for us out of the headers of a request, unless it goes to another server on this machine: that
 * may be the gateway of a run around this one.
 */
export function takeHeadersForGateways({ rawHeaders, headers }: IncomingMessage, upstream: URL): void {
  if (headers[PI_REQUEST] === undefined || THIS_MACHINE.test(upstream.hostname)) return;
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2)
    if (rawHeaders[at]?.toLowerCase() === PI_REQUEST) rawHeaders.splice(at, 2);
}
