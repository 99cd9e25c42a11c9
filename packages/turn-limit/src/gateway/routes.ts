import { randomBytes, timingSafeEqual } from "node:crypto";
import { InvalidLimit } from "../core/errors/invalid-limit.ts";
import { withoutCredentials } from "./forward/address-credentials.ts";

/** Where a request is to be sent. */
export interface Destination {
  /** The provider's base address. */
  readonly upstream: URL;
  /** The path below it as it was received, without the query. */
  readonly path: string;
  /** The query with its question mark, or nothing. */
  readonly query: string;
}

/** The addresses of the gateway, for agents. */
export interface Addresses {
  /**
   * The address, without a slash at its end, at which everything reaches the provider at `upstream`, which is a base
   * address such as `https://api.anthropic.com`.
   */
  to(upstream: string): string;
}

const SLASHES = /\/+$/;

/** The routes through a gateway: each provider has a number, behind a secret path. */
export class Routes {
  readonly #secret: Buffer;
  readonly #upstreams: URL[] = [];

  /** `secret`: the first part of every path. Default: a random one. */
  constructor(secret = randomBytes(24).toString("base64url")) {
    this.#secret = Buffer.from(secret);
  }

  /** The path that leads to this provider. Throws `InvalidLimit` if `upstream` is not a base address. */
  pathTo(upstream: string): string {
    const url = requireAddress(upstream);
    const known = this.#upstreams.findIndex(({ href }) => href === url.href);
    const at = known < 0 ? this.#upstreams.push(url) - 1 : known;
    return `/${this.#secret}/${at}`;
  }

  /**
   * Where a request with this path goes. `undefined`: the secret is wrong, or there is no such provider. The number may be
   * followed by `@` and the provider's host, for agents that look for it. `/v1` may be there twice, for agents that
   * have one address for several protocols.
   */
  find(target: string): Destination | undefined {
    const [, secret = "", number = "", rest = ""] =
      /^\/([^/?]*)\/(\d{1,4})(?:@[^/?]*)?(?:\/v1(?=\/v1\/))?(?=[/?]|$)(.*)$/s.exec(target) ?? [];
    const upstream = this.#upstreams[Number(number)];
    if (!this.#isSecret(secret) || number === "" || !upstream) return undefined;
    const end = rest.indexOf("?");
    return end < 0
      ? { upstream, path: rest, query: "" }
      : { upstream, path: rest.slice(0, end), query: rest.slice(end) };
  }

  #isSecret(given: string): boolean {
    const bytes = Buffer.from(given);
    return bytes.length === this.#secret.length && timingSafeEqual(bytes, this.#secret);
  }
}

/** The base address of a provider, without a slash at its end. */
function requireAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    throw new InvalidLimit(
      "upstream",
      withoutCredentials(address),
      "an http:// or https:// address without a query",
    );
  url.pathname = url.pathname.replace(SLASHES, "");
  return url;
}
