import { randomBytes, timingSafeEqual } from "node:crypto";
import { InvalidLimit } from "../core/errors/invalid-limit.ts";
import { A_BASE_ADDRESS, baseAddress, withoutCredentials } from "./addresses.ts";
import { type Endpoint, endpointAt, type Upstream, upstreamAt } from "./endpoints.ts";

/** Where a request goes. */
export interface Route {
  readonly endpoint: Endpoint;
  /** The query with its question mark, or nothing. */
  readonly query: string;
}

/** How many paths are remembered, and how long they may be. Agents use a handful of them, again and again. */
const MOST_REMEMBERED = 100;
const LONGEST_REMEMBERED = 500;

/** Stands in a path for the key, which then comes in a header. */
const KEYLESS = "-";

/** The routes through a gateway: each provider has a number, behind a secret path. */
export class Routes {
  /** The secret part of every path. */
  readonly key: string;
  readonly #secret: Buffer;
  readonly #upstreams: Upstream[] = [];
  /** By the paths with which they were found. */
  readonly #found = new Map<string, { readonly endpoint: Endpoint; readonly isKeyless: boolean }>();

  /** `secret`: the first part of every path. Default: a random one. */
  constructor(secret = randomBytes(24).toString("base64url")) {
    this.key = secret;
    this.#secret = Buffer.from(secret);
  }

  /** The path that leads to this provider. Throws `InvalidLimit` if `upstream` is not a base address. */
  pathTo(upstream: string): string {
    return `/${this.key}/${this.#numberOf(upstream)}`;
  }

  /** The same, for requests that have the key in a header. */
  keylessPathTo(upstream: string): string {
    return `/${KEYLESS}/${this.#numberOf(upstream)}`;
  }

  #numberOf(upstream: string): number {
    const url = baseAddress(upstream);
    if (!url) throw new InvalidLimit("upstream", withoutCredentials(upstream), A_BASE_ADDRESS);
    url.pathname = url.pathname.replace(/\/+$/, "");
    const known = this.#upstreams.findIndex((other) => other.url.href === url.href);
    return known < 0 ? this.#upstreams.push(upstreamAt(url)) - 1 : known;
  }

  /**
   * Where a request with this path goes. `undefined`: the secret is wrong, or there is no such provider. `hasKey`: it came
   * in a header. The number may be followed by `@` and the provider's host, for agents that look for it. `/v1` may be there twice, for agents that
   * have one address for several protocols.
   */
  find(target: string, hasKey = false): Route | undefined {
    const end = target.indexOf("?");
    const path = end < 0 ? target : target.slice(0, end);
    const found = this.#found.get(path) ?? this.#look(path);
    if (!found || (found.isKeyless && !hasKey)) return undefined;
    return { endpoint: found.endpoint, query: end < 0 ? "" : target.slice(end) };
  }

  #look(path: string): { endpoint: Endpoint; isKeyless: boolean } | undefined {
    const [, secret = "", number = "", rest = ""] =
      /^\/([^/]*)\/(\d{1,4})(?:@[^/]*)?(?:\/v1(?=\/v1\/))?(?=\/|$)(.*)$/s.exec(path) ?? [];
    const upstream = this.#upstreams[Number(number)];
    const isKeyless = secret === KEYLESS;
    if (number === "" || !upstream || !(isKeyless || this.isKey(secret))) return undefined;
    const found = { endpoint: endpointAt(upstream, rest), isKeyless };
    if (path.length > LONGEST_REMEMBERED) return found;
    if (this.#found.size >= MOST_REMEMBERED) this.#found.clear();
    this.#found.set(path, found);
    return found;
  }

  /** Is it the secret part of the paths? */
  isKey(given: string): boolean {
    const bytes = Buffer.from(given);
    return bytes.length === this.#secret.length && timingSafeEqual(bytes, this.#secret);
  }
}
