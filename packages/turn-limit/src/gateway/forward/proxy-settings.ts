import { basicCredentials, withoutCredentials } from "./address-credentials.ts";

/** Environment variables, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

const HTTP = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"];
const HTTPS = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];

/**
 * Which proxy the environment names for an address. `undefined`: none.
 *
 * @throws {TypeError} A variable is not the address of a proxy.
 */
export function proxySettings(env: Environment): (url: URL) => URL | undefined {
  const http = proxyIn(env, HTTP);
  const https = proxyIn(env, HTTPS);
  const exceptions = (env.no_proxy || env.NO_PROXY || "").split(/[\s,]+/).filter((entry) => entry !== "");
  return (url) => {
    const proxy = url.protocol === "https:" ? https : http;
    return proxy && !exceptions.some((entry) => covers(entry, url)) ? proxy : undefined;
  };
}

/** The address in the first of the variables that is set. */
function proxyIn(env: Environment, names: readonly string[]): URL | undefined {
  const name = names.find((name) => env[name]);
  const value = name && env[name];
  if (!value) return undefined;
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && (url.protocol === "http:" || url.protocol === "https:")) return url;
  // The value may hold a password.
  throw new TypeError(
    `${name} is "${withoutCredentials(value)}": it must be the address of an HTTP proxy, such as http://proxy.example:3128`,
  );
}

/** Does an entry of `NO_PROXY` (`*`, `host`, `.domain`, `*.domain`, each with or without a port) mean the address? */
function covers(entry: string, url: URL): boolean {
  if (entry === "*") return true;
  const [, name = "", port] = /^(\[.*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (port !== undefined && port !== portOf(url)) return false;
  const domain = name
    .toLowerCase()
    .replace(/^\*?\./, "")
    .replace(/^\[|\]$/g, "");
  const host = hostnameOf(url);
  return domain !== "" && (host === domain || host.endsWith(`.${domain}`));
}

/** The host of an address as sockets take it: an IPv6 address has no brackets. */
export function hostnameOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** The port of an address, or the default one of its protocol. */
export function portOf(url: URL): string {
  return url.port || (url.protocol === "https:" ? "443" : "80");
}

/** The header that a proxy wants for the credentials in its address. */
export function proxyAuthorization(proxy: URL): string[] {
  const credentials = basicCredentials(proxy);
  return credentials === undefined ? [] : ["Proxy-Authorization", credentials];
}
