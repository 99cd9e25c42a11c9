import type { Script } from "./script.ts";

/** A connected client of the package `redis`: `createClient()`, or `createClientPool()`. */
export interface RedisClient {
  sendCommand(args: string[]): Promise<unknown>;
}

/** A connected client of a cluster: `createCluster()` of the package `redis`. */
export interface RedisCluster {
  sendCommand(
    firstKey: string | undefined,
    isReadonly: boolean | undefined,
    args: string[],
  ): Promise<unknown>;
  readonly masters: readonly ClusterNode[];
  nodeClient(node: never): Promise<unknown> | unknown;
}

interface ClusterNode {
  readonly address: string;
}

export function isCluster(client: RedisClient | RedisCluster): client is RedisCluster {
  return "masters" in client && "nodeClient" in client;
}

/** What the store asks of a server or of a cluster. */
export interface Link {
  /** Runs a script where its keys are. */
  run(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  time(): Promise<unknown>;
  /** All keys that match, on every server. */
  scan(pattern: string): Promise<string[]>;
}

/** What a client of either kind can do. */
export function linkTo(client: RedisClient | RedisCluster): Link {
  const send = isCluster(client)
    ? (key: string, args: string[]) => client.sendCommand(key, false, args)
    : (_: string, args: string[]) => client.sendCommand(args);
  return {
    run: (script, keys, args) => {
      const rest = [String(keys.length), ...keys, ...args];
      const [key = ""] = keys;
      return send(key, ["EVALSHA", script.sha, ...rest]).catch((error) => {
        if (!isUnknownScript(error)) throw error;
        return send(key, ["EVAL", script.text, ...rest]);
      });
    },
    // Always the same server: the clocks of two may differ.
    time: () => send("time", ["TIME"]),
    async scan(pattern) {
      if (!isCluster(client)) return scanned(client, pattern);
      const nodes = client.masters.map((master) => client.nodeClient(master as never));
      const found = (await Promise.all(nodes)).map((node) => scanned(node as RedisClient, pattern));
      return (await Promise.all(found)).flat();
    },
  };
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("NOSCRIPT");
}

async function scanned(client: RedisClient, pattern: string): Promise<string[]> {
  const found: string[] = [];
  let cursor = "0";
  do {
    const page = await client.sendCommand([
      "SCAN",
      cursor,
      "MATCH",
      pattern,
      "COUNT",
      "1000",
      "TYPE",
      "hash",
    ]);
    const [next, keys] = page as [string, string[]];
    found.push(...keys);
    cursor = String(next);
  } while (cursor !== "0");
  return found;
}
