/**
 * A store on a Redis or Valkey server, for pools whose members are on many machines. Needs the package `redis`.
 *
 * @module
 */
import { check, count, object, optional } from "../../../core/checks.ts";
import { InvalidLimit } from "../../../core/errors/invalid-limit.ts";
import type { Store } from "../../ledger/store.ts";
import type { RedisClient, RedisCluster } from "./client.ts";
import { Connection, type Route } from "./connection.ts";
import { recordStore } from "./record-store.ts";
import { clientRoute, clusterRoute, serverRoute } from "./routes.ts";

export type { RedisClient, RedisCluster } from "./client.ts";

/** Where the store is: an address, some addresses of a cluster, or a connected client of your own. */
export type RedisTarget = string | { cluster: readonly string[] } | RedisClient | RedisCluster;

export interface RedisStoreOptions {
  /** How many milliseconds a request may take, with all that is tried to reach the server. 5000 if left out. */
  timeout?: number;
  /** What all keys begin with. `tl:` if left out. */
  prefix?: string;
}

/**
 * A store on a Redis or Valkey server, or on a cluster of them. It connects when it is first used, and again when the
 * connection breaks. It does not keep a process alive. A client of your own is not closed.
 *
 * @example
 * const pool = createPool({ id: "research", cost: 5, store: redisStore("redis://localhost:6379") });
 */
export function redisStore(target: RedisTarget, options: RedisStoreOptions = {}): Store {
  const { timeout, prefix } = requireOptions(options, "");
  return recordStore(new Connection(routeTo(target, timeout), timeout), prefix);
}

const requirePrefix = check<string>(
  (value) => typeof value === "string" && !/[{}]/.test(value),
  "a text without braces",
);

const requireOptions = object({
  timeout: optional(count(1), 5000),
  prefix: optional(requirePrefix, "tl:"),
});

function routeTo(target: RedisTarget, timeout: number): Route {
  if (typeof target === "string") return serverRoute(requireAddress(target, "the address"), timeout);
  if (typeof target === "object" && target && "cluster" in target) {
    const { cluster } = target;
    if (!Array.isArray(cluster) || cluster.length === 0)
      throw new InvalidLimit("cluster", cluster, "a list of one or more addresses");
    return clusterRoute(
      cluster.map((address) => requireAddress(address, "an address of the cluster")),
      timeout,
    );
  }
  if (typeof target === "object" && target && "getSentinelNode" in target) throw sentinelRefused();
  if (typeof target === "object" && target && "sendCommand" in target) return clientRoute(target);
  throw new InvalidLimit("the Redis store", target, "an address, { cluster: [addresses] } or a client");
}

function sentinelRefused(): InvalidLimit {
  const allowed = "a client of the primary, or its address";
  const message = `Redis Sentinel is not supported: after it has changed the primary, counts are gone. Give the store ${allowed}.`;
  return new InvalidLimit("the Redis store", undefined, allowed, message);
}

// An address that is refused is not shown: it may have a password in it.
function requireAddress(address: unknown, name: string): string {
  if (typeof address === "string" && /^rediss?:\/\/[^/]/.test(address) && URL.canParse(address))
    return address;
  const allowed =
    "redis://host:port or rediss://host:port, with user:password@ before the host where it needs one";
  throw new InvalidLimit(name, undefined, allowed, `${name} of the Redis store must be ${allowed}`);
}
