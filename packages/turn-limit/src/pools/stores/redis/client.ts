import type { Script } from "./script.ts";

/** A connected client of the package `redis`: `createClient()`, or `createClientPool()`. */
export interface RedisClient {
  sendCommand(args: string[], options?: { abortSignal?: AbortSignal; timeout?: number }): Promise<unknown>;
}

/** A connected client of a cluster: `createCluster()` of the package `redis`. */
export interface RedisCluster {
  sendCommand(
    firstKey: string | undefined,
    isReadonly: boolean | undefined,
    args: string[],
    options?: { abortSignal?: AbortSignal; timeout?: number },
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

/** How long somebody waits for an answer. */
export interface Patience {
  /** Until when, in the time of `performance.now()`. */
  readonly until: number;
  /** Aborted when it is over. */
  readonly signal: AbortSignal;
}

/** What the store asks of a server or of a cluster. */
export interface Link {
  /** Runs a script where its keys are. What was not sent when the patience is over is not sent any more. */
  run(script: Script, keys: readonly string[], args: readonly string[], patience: Patience): Promise<unknown>;
  /** Is there something under this key? */
  exists(key: string): Promise<boolean>;
  time(): Promise<unknown>;
  /** All keys that match, on every server, of what is kept in this way. */
  scan(pattern: string, type?: "hash" | "list"): Promise<string[]>;
}

/** What a client of either kind can do. `reconnects`: it sends what it was given later, once it is connected again. */
export function linkTo(client: RedisClient | RedisCluster, reconnects: boolean): Link {
  // The client's own limit of time costs a timer for each command, and says less than the signal.
  const optionsFor = (patience?: Patience) =>
    patience && reconnects ? { abortSignal: patience.signal, timeout: 0 } : undefined;
  const send = isCluster(client)
    ? (key: string, args: string[], patience?: Patience) =>
        client.sendCommand(key, false, args, optionsFor(patience))
    : (_: string, args: string[], patience?: Patience) => client.sendCommand(args, optionsFor(patience));
  return {
    run: (script, keys, args, patience) => {
      const rest = [String(keys.length), ...keys, ...args];
      const [key = ""] = keys;
      return send(key, ["EVALSHA", script.sha, ...rest], patience).catch((error) => {
        if (!isUnknownScript(error)) throw error;
        return send(key, ["EVAL", script.text, ...rest], patience);
      });
    },
    exists: async (key) => (await send(key, ["EXISTS", key])) === 1,
    // Always the same server: the clocks of two may differ.
    time: () => send("time", ["TIME"]),
    async scan(pattern, type = "hash") {
      if (!isCluster(client)) return scanned(client, pattern, type);
      const nodes = client.masters.map((master) => client.nodeClient(master as never));
      const found = (await Promise.all(nodes)).map((node) => scanned(node as RedisClient, pattern, type));
      return (await Promise.all(found)).flat();
    },
  };
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("NOSCRIPT");
}

async function scanned(client: RedisClient, pattern: string, type: string): Promise<string[]> {
  const found: string[] = [];
  let cursor = "0";
  do {
    const page = await client.sendCommand(["SCAN", cursor, "MATCH", pattern, "COUNT", "1000", "TYPE", type]);
    const [next, keys] = page as [string, string[]];
    found.push(...keys);
    cursor = String(next);
  } while (cursor !== "0");
  return found;
}
