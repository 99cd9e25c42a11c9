import { setTimeout as sleep } from "node:timers/promises";
import { freePort, RedisServer } from "./redis-server.ts";

const SLOTS = 16_384;

/** A cluster of three masters without replicas. */
export class RedisCluster {
  readonly servers: readonly RedisServer[];

  private constructor(servers: readonly RedisServer[]) {
    this.servers = servers;
  }

  static async start(): Promise<RedisCluster> {
    const servers = await Promise.all([1, 2, 3].map(startMaster));
    const [first, ...others] = servers as [Master, ...Master[]];
    await Promise.all(
      servers.map(({ server }, place) => {
        const [from, to] = [place, place + 1].map((part) => Math.ceil((part * SLOTS) / servers.length));
        return server.send(
          ["CLUSTER", "SET-CONFIG-EPOCH", `${place + 1}`],
          ["CLUSTER", "ADDSLOTSRANGE", `${from}`, `${Number(to) - 1}`],
        );
      }),
    );
    const meet = ({ server, bus }: Master) => ["CLUSTER", "MEET", "127.0.0.1", `${server.port}`, `${bus}`];
    await first.server.send(...others.map(meet));
    for (const { server } of servers) await untilOk(server);
    return new RedisCluster(servers.map(({ server }) => server));
  }

  get addresses(): string[] {
    return this.servers.map(({ address }) => address);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.servers) await server[Symbol.asyncDispose]();
  }
}

interface Master {
  server: RedisServer;
  bus: number;
}

async function startMaster(): Promise<Master> {
  const bus = await freePort();
  const args = ["--cluster-enabled", "yes", "--cluster-port", `${bus}`];
  return { server: await RedisServer.start(args), bus };
}

async function untilOk(server: RedisServer): Promise<void> {
  for (;;) {
    const [info, slots] = await server.send(["CLUSTER", "INFO"], ["CLUSTER", "SLOTS"]);
    const isOk = String(info).includes("cluster_state:ok") && String(info).includes("cluster_size:3");
    if (isOk && (slots as unknown[]).length === 3) return;
    await sleep(50);
  }
}
