import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/**
 * Passes everything on to a server. When told so, it keeps what is sent over the connections that there are, as a network
 * that is slow does, and passes it on later, also when the sender has gone.
 */
export class HoldingProxy {
  readonly #server: Server;
  #holds = false;
  readonly #held: { target: Socket; bytes: Buffer }[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async to(port: number): Promise<HoldingProxy> {
    const server = createServer((client) => {
      const target = connect(port, "127.0.0.1");
      client.on("data", (bytes) => {
        if (proxy.#holds) proxy.#held.push({ target, bytes });
        else target.write(bytes);
      });
      target.on("data", (reply) => client.writable && client.write(reply));
      const isHeld = () => proxy.#held.some((held) => held.target === target);
      client.on("close", () => isHeld() || target.destroy());
      target.on("close", () => client.destroy());
      for (const socket of [client, target]) socket.on("error", () => {});
    }).listen(0, "127.0.0.1");
    const proxy = new HoldingProxy(server);
    await once(server, "listening");
    return proxy;
  }

  get address(): string {
    return `redis://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  /** Keeps everything that is sent from now on. */
  hold(): void {
    this.#holds = true;
  }

  /** Keeps nothing any more. What was kept is still on its way. */
  goOn(): void {
    this.#holds = false;
  }

  /** Passes on what was kept. Resolves when the server has answered it. How many pieces these were. */
  async deliver(): Promise<number> {
    this.#holds = false;
    const held = this.#held.splice(0);
    for (const { target, bytes } of held) {
      if (target.destroyed) continue;
      target.write(bytes);
      await Promise.race([once(target, "data"), once(target, "close")]);
    }
    return held.length;
  }

  [Symbol.dispose](): void {
    this.#server.close();
  }
}
