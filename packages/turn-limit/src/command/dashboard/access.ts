import type { IncomingMessage } from "node:http";
import { isEverywhere, originAt, type Place } from "./place.ts";

/**
 * Why a request is refused, if it is. Another site can make a browser send requests here, also under a host name of its own
 * that resolves to this machine: then `Host` or `Origin` is not ours. It may link to the page, which contains no data.
 */
export function refusalOf(
  request: IncomingMessage,
  { place, origins, isPage }: { place: Place; origins: ReadonlySet<string>; isPage: boolean },
): string | undefined {
  const { headers } = request;
  const all = [...origins, ...originOfConnection(request, place)];
  const hosts = all.map((origin) => new URL(origin).host);
  if (headers.host === undefined || !hosts.includes(headers.host.toLowerCase()))
    return "This is not an address of the dashboard. Name it with --url.";
  if (headers.origin !== undefined && !all.includes(headers.origin)) return "Another site must not ask this.";
  const site = headers["sec-fetch-site"];
  const isOpened =
    isPage && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
  if (site !== undefined && site !== "same-origin" && site !== "none" && !isOpened)
    return "Another site must not ask this.";
  return undefined;
}

/** The device's secret in a request. */
export function secretIn({ headers }: IncomingMessage): string {
  return /^Bearer ([\w.-]+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
}

/** Headers of every response: nothing is cached, framed, or loaded from another site. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** If it listens at every address: the one at which this request arrived. */
function originOfConnection({ socket }: IncomingMessage, { host }: Place): string[] {
  const { localAddress, localPort } = socket;
  if (!isEverywhere(host) || localAddress === undefined || localPort === undefined) return [];
  return [originAt(localAddress.replace(/^::ffff:(?=\d+\.)/, "").replace(/%.*/, ""), localPort)];
}
