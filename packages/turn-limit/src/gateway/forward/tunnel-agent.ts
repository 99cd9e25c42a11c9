import { type ClientRequest, request as httpRequest } from "node:http";
import { Agent, type AgentOptions, request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type ConnectionOptions, connect } from "node:tls";
import { basicCredentials, hostnameOf, portOf } from "../addresses.ts";

type Created = (error: Error | null, socket: Duplex) => void;

/** Connections to `https:` addresses through a proxy, which sees only the name of the host. */
export class TunnelAgent extends Agent {
  readonly #proxy: URL;
  readonly #opening = new Set<ClientRequest>();

  constructor(proxy: URL, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(options: ConnectionOptions, created: Created): undefined {
    const fail = (error: Error) => created(error, undefined as unknown as Duplex);
    const host = options.host ?? "localhost";
    const authority = `${host.includes(":") ? `[${host}]` : host}:${options.port}`;
    const request = this.#proxy.protocol === "https:" ? httpsRequest : httpRequest;
    const opening = request({
      host: hostnameOf(this.#proxy),
      port: portOf(this.#proxy),
      method: "CONNECT",
      path: authority,
      headers: ["Host", authority, ...proxyAuthorization(this.#proxy)],
      agent: false,
    });
    this.#opening.add(opening);
    opening.once("close", () => this.#opening.delete(opening));
    opening.once("error", (error) => fail(new Error(`the proxy ${this.#proxy.host}: ${error.message}`)));
    opening.once("connect", ({ statusCode }, socket: Socket) => {
      if (statusCode !== 200) {
        socket.destroy();
        return fail(new Error(`the proxy ${this.#proxy.host} answered with status ${statusCode}`));
      }
      socket.setNoDelay(true);
      socket.setKeepAlive(true, 1000);
      const secured = connect({ ...options, socket, ALPNProtocols: ["http/1.1"] });
      created(null, secured);
    });
    opening.end();
  }

  override destroy(): void {
    for (const opening of this.#opening) opening.destroy();
    super.destroy();
  }
}

/** The header that a proxy wants for the credentials in its address. */
export function proxyAuthorization(proxy: URL): string[] {
  const credentials = basicCredentials(proxy);
  return credentials === undefined ? [] : ["Proxy-Authorization", credentials];
}
