import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A server that listens on this machine only. */
export interface Listening {
  readonly port: number;
  /** Stops the server and closes connections that still wait for an answer. */
  close(): Promise<void>;
}

/** Lets a server listen on a port that the system chooses. */
export async function listenOnLoopback(server: Server): Promise<Listening> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
