import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { basicCredentials, hostnameOf, portOf, withoutCredentials } from "../addresses.ts";
import { proxyAuthorization, TunnelAgent } from "./tunnel-agent.ts";

/** The connections to providers. They are kept for the next request, and go through the proxies of the environment. */
export type UpstreamConnections = ReturnType<typeof upstreamConnections>;

/** How a request gets to an address. */
export type Way = ReturnType<UpstreamConnections["to"]>;

/** Environment variables, by name. */
type Environment = Readonly<Record<string, string | undefined>>;

/** How many connections wait for the next request to one provider. Node's own 256 are fewer than some fleets need at once. */
const MOST_KEPT = 2_000;

/**
 * Opens no connection yet.
 *
 * @param env Where `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` are looked up, in capital or small letters.
 * @param trust A certificate to trust instead of those that Node trusts.
 * @throws {TypeError} One of them is not the address of a proxy.
 */
export function upstreamConnections(env: Environment = process.env, trust: { readonly ca?: string } = {}) {
  const proxyOf = proxySettings(env);
  const agents = new Map<string, HttpAgent>();
  const agentOf = (isSecure: boolean, isFresh: boolean, tunnel: URL | undefined): HttpAgent => {
    const key = `${isSecure} ${isFresh} ${tunnel?.href}`;
    const known = agents.get(key);
    if (known) return known;
    const options = { keepAlive: !isFresh, maxFreeSockets: MOST_KEPT, noDelay: true, ...trust };
    const made = tunnel ? new TunnelAgent(tunnel, options) : new (isSecure ? HttpsAgent : HttpAgent)(options);
    agents.set(key, made);
    return made;
  };
  const wayTo = (url: URL, isFresh: boolean) => {
    const proxy = proxyOf(url);
    const isSecure = url.protocol === "https:";
    const next = proxy && !isSecure ? proxy : url;
    const isNextSecure = next.protocol === "https:";
    return {
      request: isNextSecure ? httpsRequest : httpRequest,
      host: hostnameOf(next),
      port: portOf(next),
      agent: agentOf(isNextSecure, isFresh, isSecure ? proxy : undefined),
      /** Comes before the path: a proxy wants the full address. */
      pathPrefix: next === url ? "" : url.origin,
      /** The header `Host`. */
      hostHeader: url.host,
      /** Headers for a proxy, names and values in turn. */
      headers: next === url ? [] : proxyAuthorization(next),
      /** The header `Authorization` of a request that has none of its own. */
      credentials: basicCredentials(url),
    };
  };
  // Of addresses that are used again and again, which are the same objects.
  const known = new WeakMap<URL, ReturnType<typeof wayTo>>();
  return {
    /** How a request gets to an address. `isFresh`: on a connection that was not used before. */
    to(url: URL, isFresh: boolean): ReturnType<typeof wayTo> {
      const found = isFresh ? undefined : known.get(url);
      if (found) return found;
      const way = wayTo(url, isFresh);
      if (!isFresh) known.set(url, way);
      return way;
    },
    /** Ends all connections, also those in use. */
    close(): void {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

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
