import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { wrongInput } from "../command-error.ts";

/** Where the dashboard listens, and by which addresses browsers may reach it. */
export interface Place {
  readonly host: string;
  readonly port: number;
  /** The address in front of it: of a proxy, or of `tailscale serve`. */
  readonly url?: URL;
}

const DEFAULT_PORT = 4747;
const THIS_MACHINE = "127.0.0.1";

/** Reads where the dashboard listens. Plain HTTP beyond this machine, where others could read its secrets, needs `insecure`. */
export function readPlace(given: { host?: string; port?: string; url?: string; insecure?: true }): Place {
  const host = given.host ?? THIS_MACHINE;
  // An address with a zone, such as fe80::1%eth0, cannot stand in the address of a site.
  if (isIP(host) === 0 || host.includes("%"))
    throw wrongInput(
      `${JSON.stringify(host)} from --host is not an address of this machine. Use one such as 127.0.0.1 or 192.168.1.20.`,
    );
  const port = given.port === undefined ? DEFAULT_PORT : Number(given.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw wrongInput(
      `${JSON.stringify(given.port)} from --port is not a port. Use a whole number up to 65535.`,
    );
  const url = given.url === undefined ? undefined : readUrl(given.url);
  const isPlain = url ? url.protocol === "http:" && !isThisMachine(url.hostname) : !isThisMachine(host);
  if (isPlain && !given.insecure)
    throw wrongInput(
      "Beyond this machine the dashboard needs https, since anybody on the way could read its secret. Leave --host out, put " +
        "a proxy such as tailscale serve in front of it, and name its address with --url https://…; or use --insecure.",
    );
  return { host, port, ...(url && { url }) };
}

function readUrl(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isBare = url && url.pathname === "/" && !url.search && !url.hash && !url.username && !url.password;
  if (url && isBare && ["http:", "https:"].includes(url.protocol)) return url;
  throw wrongInput(
    `${JSON.stringify(given)} from --url is not the address of a site. Use one such as https://laptop.example.ts.net.`,
  );
}

function isThisMachine(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "");
  return bare === "localhost" || bare === "::1" || (isIP(bare) === 4 && bare.startsWith("127."));
}

/** Does it listen at every address of this machine? */
export function isEverywhere(host: string): boolean {
  return new URL(originAt(host, 0)).hostname === "[::]" || host === "0.0.0.0";
}

/** As browsers write it: without the default port, and with the shortest form of an IPv6 address. */
export function originAt(host: string, port: number): string {
  return new URL(`http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`).origin;
}

/** The address to open in a browser. If it listens everywhere, other devices can open it too. */
export function addressOf({ host }: Place, port: number): string {
  if (!isEverywhere(host)) return originAt(host, port);
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const reachable = all.find(({ family, internal }) => family === "IPv4" && !internal);
  return originAt(reachable?.address ?? THIS_MACHINE, port);
}

/** The origins that requests may be sent to and may come from. */
export function originsOf({ host, url }: Place, port: number): Set<string> {
  const isLocal = isThisMachine(host) || isEverywhere(host);
  const own = isLocal ? [host, THIS_MACHINE, "localhost", "::1"] : [host];
  return new Set([...own.map((name) => originAt(name, port)), ...(url ? [url.origin] : [])]);
}
