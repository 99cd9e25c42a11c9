import type { SeenRequest } from "../agents/profile.ts";
import type { Asked, Json, Protocol } from "../protocols/protocol.ts";
import type { CountedRequest } from "./verdict.ts";

/** What is known of a request without reading its body. */
type Facts = Pick<CountedRequest, "headers" | "protocol" | "upstream" | "provider" | "ownCalls">;

/** A request whose body is read at most once, and only if something depends on it. */
export class ReceivedRequest implements CountedRequest {
  readonly headers: SeenRequest["headers"];
  readonly protocol: Protocol | undefined;
  readonly upstream: string;
  readonly provider: string | undefined;
  readonly ownCalls: CountedRequest["ownCalls"];
  readonly bytes: Uint8Array | undefined;
  readonly #read: (bytes: Uint8Array | undefined) => Json | undefined;
  readonly #askedIn: (body: Json) => Asked | undefined;
  #body: { readonly json: Json | undefined; readonly asked: Asked | undefined } | undefined;

  /** `bytes`: the body, decoded. `read`: the JSON in it. `askedIn`: what is asked by that. */
  constructor(
    { headers, protocol, upstream, provider, ownCalls }: Facts,
    bytes: Uint8Array | undefined,
    read: (bytes: Uint8Array | undefined) => Json | undefined,
    askedIn: (body: Json) => Asked | undefined,
  ) {
    this.headers = headers;
    this.protocol = protocol;
    this.upstream = upstream;
    this.provider = provider;
    this.ownCalls = ownCalls;
    this.bytes = bytes;
    this.#read = read;
    this.#askedIn = askedIn;
  }

  get body(): Json | undefined {
    return this.#whole.json;
  }

  get asked(): Asked | undefined {
    return this.#whole.asked;
  }

  get #whole() {
    if (!this.#body) {
      const json = this.#read(this.bytes);
      this.#body = { json, asked: json && this.#askedIn(json) };
    }
    return this.#body;
  }
}
