import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { type Environment, hostnameOf, portOf, proxyAuthorization, proxySettings } from "./proxy-settings.ts";
import { TunnelAgent } from "./tunnel-agent.ts";

/** How a request gets to an address. */
export interface Connection {
  readonly request: typeof httpRequest;
  readonly host: string;
  readonly port: string;
  readonly agent: HttpAgent;
  /** Comes before the path: a proxy wants the full address. */
  readonly pathPrefix: string;
  /** Headers for a proxy, names and values in turn. */
  readonly headers: readonly string[];
}

/** The connections to providers. They are kept for the next request, and go through the proxies of the environment. */
export interface UpstreamConnections {
  /**
   * The connection to an address.
   *
   * @param isFresh On a connection that was not used before.
   */
  to(url: URL, isFresh: boolean): Connection;
  /** Ends all connections, also those in use. */
  close(): void;
}

/**
 * Opens no connection yet.
 *
 * @param env Where `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` are looked up, in capital or small letters.
 * @param trust A certificate to trust instead of those that Node trusts.
 * @throws {TypeError} One of them is not the address of a proxy.
 */
export function upstreamConnections(
  env: Environment = process.env,
  trust: { readonly ca?: string } = {},
): UpstreamConnections {
  const proxyOf = proxySettings(env);
  const agents = new Map<string, HttpAgent>();
  const agentOf = (isSecure: boolean, isFresh: boolean, tunnel: URL | undefined): HttpAgent => {
    const key = `${isSecure} ${isFresh} ${tunnel?.href}`;
    const known = agents.get(key);
    if (known) return known;
    const options = { keepAlive: !isFresh, noDelay: true, ...trust };
    const made = tunnel ? new TunnelAgent(tunnel, options) : new (isSecure ? HttpsAgent : HttpAgent)(options);
    agents.set(key, made);
    return made;
  };
  return {
    to(url, isFresh) {
      const proxy = proxyOf(url);
      const isSecure = url.protocol === "https:";
      const next = proxy && !isSecure ? proxy : url;
      const isNextSecure = next.protocol === "https:";
      return {
        request: isNextSecure ? httpsRequest : httpRequest,
        host: hostnameOf(next),
        port: portOf(next),
        agent: agentOf(isNextSecure, isFresh, isSecure ? proxy : undefined),
        pathPrefix: next === url ? "" : url.origin,
        headers: next === url ? [] : proxyAuthorization(next),
      };
    },
    close() {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}
