import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";

/** Passes everything on to a server. When told so, it lets one request through and cuts the connection instead of the reply. */
export class CuttingProxy {
  readonly #server: Server;
  #cuts: (() => void) | undefined;
  /** How many replies are passed on before. */
  #spared = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async to(port: number): Promise<CuttingProxy> {
    const server = createServer((client) => {
      const target = connect(port, "127.0.0.1");
      client.pipe(target);
      target.on("data", (reply) => {
        const cut = proxy.#cuts;
        if (!cut || proxy.#spared > 0) {
          proxy.#spared -= 1;
          return void client.write(reply);
        }
        proxy.#cuts = undefined;
        client.destroy();
        target.destroy();
        cut();
      });
      for (const socket of [client, target]) {
        socket.on("error", () => {});
        socket.on("close", () => {
          client.destroy();
          target.destroy();
        });
      }
    }).listen(0, "127.0.0.1");
    const proxy = new CuttingProxy(server);
    await once(server, "listening");
    return proxy;
  }

  get address(): string {
    return `redis://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  /** Cuts the connection at the next reply, or at a later one. Resolves when it is done. */
  cutNextReply(place = 1): Promise<void> {
    return new Promise((resolve) => {
      this.#spared = place - 1;
      this.#cuts = resolve;
    });
  }

  [Symbol.dispose](): void {
    this.#server.close();
  }
}
