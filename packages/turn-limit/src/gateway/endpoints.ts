import { protocolOf, understood } from "./protocols/all-protocols.ts";
import { asksOtherwise } from "./protocols/other-endpoints.ts";
import type { Protocol } from "./protocols/protocol.ts";
import { spendsElsewhere } from "./protocols/spends-elsewhere.ts";
import { providerAt } from "./providers.ts";

/** A provider, by its base address. */
export interface Upstream {
  readonly url: URL;
  /** The same, without a slash at its end. */
  readonly address: string;
  /** The path of it, without a slash at its end. */
  readonly basePath: string;
  /** What lists of prices call it. `undefined`: it is not known. */
  readonly provider: string | undefined;
}

/** A place at a provider. What its path says is found out once, and not with each request. */
export interface Endpoint {
  readonly upstream: Upstream;
  /** The path below the provider's address as it was received, without the query. */
  readonly path: string;
  /** The path, as it is understood. */
  readonly understood: string;
  /** The protocol of what is posted there, if it asks for an answer. */
  readonly protocol: Protocol | undefined;
  /** Who is asked there for something that no protocol is for. */
  readonly otherwise: ReturnType<typeof asksOtherwise>;
  /** Why what is posted there cannot be held to any limit. `undefined`: it can. */
  readonly spendsElsewhere: string | undefined;
  /** Does what is posted there only count tokens? */
  readonly countsTokens: boolean;
}

export function upstreamAt(url: URL): Upstream {
  return {
    url,
    address: url.href.replace(/\/$/, ""),
    basePath: url.pathname.replace(/\/$/, ""),
    provider: providerAt(url),
  };
}

export function endpointAt(upstream: Upstream, path: string): Endpoint {
  const asUnderstood = understood(path);
  const protocol = protocolOf(asUnderstood);
  return {
    upstream,
    path,
    understood: asUnderstood,
    protocol,
    otherwise: asksOtherwise(asUnderstood),
    spendsElsewhere: protocol ? undefined : spendsElsewhere(asUnderstood),
    countsTokens: isTokenCount(path),
  };
}

/** Some servers cut a path at certain characters, so a path with one of them is not trusted. */
function isTokenCount(path: string): boolean {
  try {
    return /^[^#?;%\\]*(\/count_tokens|:countTokens)$/.test(decodeURIComponent(path));
  } catch {
    return false;
  }
}
