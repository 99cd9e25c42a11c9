import type { createClient, createCluster } from "redis";
import { isCluster, linkTo, type RedisClient, type RedisCluster } from "./client.ts";
import type { OpenLink, Route } from "./connection.ts";
import { notInstalled } from "./problems.ts";

/** To one server. */
export function serverRoute(address: string, timeout: number): Route {
  const shown = withoutPassword(address);
  return {
    address: shown,
    async open(signal) {
      const { createClient } = await loaded(shown);
      const client = createClient({ url: address, ...OPTIONS, socket: socketOptions(timeout) });
      client.unref();
      return opened(client, signal);
    },
  };
}

/** To a cluster, by some of its servers. */
export function clusterRoute(addresses: readonly string[], timeout: number): Route {
  const shown = addresses.map(withoutPassword).join(", ");
  const { username, password, protocol } = new URL(addresses[0] ?? "");
  return {
    address: shown,
    async open(signal) {
      const { createCluster } = await loaded(shown);
      const cluster = createCluster({
        rootNodes: addresses.map((url) => ({ url })),
        // A server that is down must not keep it from the others.
        minimizeConnections: true,
        ...OPTIONS,
        // The servers that are found have the name and the password of the first address.
        defaults: {
          ...(username && { username: decodeURIComponent(username) }),
          ...(password && { password: decodeURIComponent(password) }),
          socket: { ...socketOptions(timeout), ...(protocol === "rediss:" && { tls: true as const }) },
        },
      });
      cluster.on("node-ready", () => {
        for (const { client } of [...cluster.masters, ...cluster.replicas]) client?.unref();
      });
      return opened(cluster, signal);
    },
  };
}

/** By a client of the person's own, which connects by itself and is not closed. */
export function clientRoute(client: RedisClient | RedisCluster): Route {
  const open: OpenLink = { link: linkTo(client, true), isOpen: () => true, close() {} };
  const address = isCluster(client)
    ? client.masters.map(({ address }) => `redis://${address}`).join(", ") || "of your own cluster client"
    : addressOf(client);
  return { address, open: async () => open };
}

type Redis = { createClient: typeof createClient; createCluster: typeof createCluster };

async function loaded(shown: string): Promise<Redis> {
  try {
    return await import("redis");
  } catch (error) {
    throw notInstalled(shown, error);
  }
}

// The store has a time limit of its own for each request, and makes a broken connection anew.
const OPTIONS = { commandOptions: { timeout: 0 } };

function socketOptions(timeout: number) {
  return { connectTimeout: timeout, reconnectStrategy: false } as const;
}

interface Connectable {
  readonly isOpen: boolean;
  connect(): Promise<unknown>;
  destroy(): void;
  on(event: "error" | "node-error", listener: (error: unknown) => void): unknown;
}

async function opened(
  client: Connectable & (RedisClient | RedisCluster),
  signal: AbortSignal,
): Promise<OpenLink> {
  let isBroken = false;
  let problem: unknown;
  const broke = (error: unknown) => {
    isBroken = true;
    problem = error;
  };
  client.on("error", broke);
  client.on("node-error", broke);
  const close = () => {
    isBroken = true;
    client.destroy();
  };
  signal.addEventListener("abort", close, { once: true });
  try {
    await client.connect();
  } catch (error) {
    close();
    // A cluster says only that no server could be reached.
    throw problem ?? error;
  } finally {
    signal.removeEventListener("abort", close);
  }
  isBroken = signal.aborted;
  return { link: linkTo(client, isCluster(client)), close, isOpen: () => !isBroken };
}

function withoutPassword(address: string): string {
  const url = new URL(address);
  return `${url.protocol}//${url.host}${url.pathname === "/" ? "" : url.pathname}`;
}

function addressOf(client: object): string {
  const { socket, url } =
    (client as { options?: { socket?: { host?: string; port?: number }; url?: string } }).options ?? {};
  if (url) return withoutPassword(url);
  return `redis://${socket?.host ?? "localhost"}:${socket?.port ?? 6379}`;
}
