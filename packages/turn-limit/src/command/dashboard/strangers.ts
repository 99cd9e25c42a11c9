import type { Server } from "node:http";
import type { Socket } from "node:net";

/** How many connections are open at once on which no device has said who it is. */
const MOST = 100;

/** Connections of nobody that is known. Where there are too many, the oldest is closed: a browser needs its own for moments. */
export class Strangers {
  readonly #open = new Set<Socket>();

  constructor(server: Server) {
    server.on("connection", (socket: Socket) => {
      this.#open.add(socket);
      socket.once("close", () => this.#open.delete(socket));
      const [oldest] = this.#open;
      if (this.#open.size > MOST) oldest?.destroy();
    });
  }

  /** A device has said on it who it is. */
  isKnown(socket: Socket): void {
    this.#open.delete(socket);
  }
}
