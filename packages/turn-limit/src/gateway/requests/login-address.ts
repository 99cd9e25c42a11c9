import type { Profile, SeenRequest } from "../agents/profile.ts";
import { type Upstream, upstreamAt } from "../endpoints.ts";

/** Where an agent's login leads its requests instead of the address that they were sent to. */
export class LoginAddress {
  readonly #profile: Profile | undefined;
  /** That of the last request: it is made anew only when it changes. */
  #last: Upstream | undefined;

  constructor(profile: Profile | undefined) {
    this.#profile = profile;
  }

  insteadOf(upstream: Upstream, headers: SeenRequest["headers"]): Upstream {
    const address = this.#profile?.upstream?.(headers, upstream.address) ?? upstream.address;
    if (address === upstream.address) return upstream;
    if (this.#last?.address !== address) this.#last = upstreamAt(new URL(address));
    return this.#last;
  }
}
