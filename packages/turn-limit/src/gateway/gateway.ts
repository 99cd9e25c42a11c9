import type { Server } from "node:http";
import { InvalidLimit } from "../core/errors/invalid-limit.ts";
import { type UpstreamConnections, upstreamConnections } from "./forward/upstream-connections.ts";
import { GatewayRun, type GatewayRunOptions } from "./requests/gateway-run.ts";
import type { GatewaySummary } from "./requests/summary.ts";
import { type Addresses, Routes } from "./routes.ts";
import { addressOf, listen, type ServerParts } from "./server.ts";
import { SharedRuns } from "./shared-runs.ts";

/** The options of every gateway. */
interface CommonOptions {
  /** Where `HTTPS_PROXY` and `NO_PROXY` are looked up. Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The maximum size of a request in bytes. Default: 64 MiB. */
  readonly maxBody?: number | undefined;
  /** The port. Default: one that is free. */
  readonly port?: number | undefined;
  /** The secret part of every path. Default: a random one. */
  readonly secret?: string | undefined;
  /** Host names that are accepted besides those of this machine, each with its port. */
  readonly hosts?: readonly string[] | undefined;
}

/** The options of a gateway for one run: limits as for every adapter. No limit is set by default. */
export type GatewayOptions = GatewayRunOptions & CommonOptions;

/** The options of a shared gateway. */
export interface SharedGatewayOptions extends CommonOptions {
  /**
   * The name of whoever sent a request, by its headers and its query. `undefined`, or `refused` with the reason: the
   * request is refused with 403. A header that was sent several times is a list.
   */
  whoseOf(
    headers: Readonly<Record<string, string | string[] | undefined>>,
    query: URLSearchParams,
  ): string | undefined | { readonly refused: string };
  /**
   * The limits of a name, at its first request. They should be those of pools: where a pool is used up, requests are
   * refused until it admits more. Of more than 10,000 names the least recently used one is forgotten, and this is called
   * again when it comes back.
   */
  limitsOf(name: string): GatewayRunOptions;
}

/** A server on this machine, between agents and the providers of their models. */
export interface Gateway {
  readonly addresses: Addresses;
  /** Closes the gateway: requests in flight are cut off, and their usage is settled in the pools. */
  close(): Promise<void>;
}

/** A gateway for one run. */
export interface RunGateway extends Omit<Gateway, "close"> {
  readonly run: Pick<GatewayRun, "summary" | "member">;
  /** The same. Resolves with the summary of the run. */
  close(): Promise<GatewaySummary>;
}

/**
 * Opens a gateway for one run of an agent. Everything that the agent sends to the addresses is held to the limits.
 *
 * @example
 * const gateway = await createGateway({ requests: 200, cost: 5, price });
 * process.env.ANTHROPIC_BASE_URL = gateway.addresses.to("https://api.anthropic.com");
 * await runTheAgent();
 * console.log(await gateway.close());
 */
export async function createGateway(options: GatewayOptions): Promise<RunGateway> {
  const { env, maxBody, port, secret, hosts, ...limits } = options;
  const run = new GatewayRun(limits);
  const opened = await open({ env, maxBody, port, secret, hosts }, () => run);
  return {
    addresses: opened.addresses,
    run,
    close: async () => {
      opened.refuse();
      const summary = await run.end();
      await opened.close();
      return summary;
    },
  };
}

/**
 * Opens a gateway for many, each with limits of their own.
 *
 * @example
 * const gateway = await createSharedGateway({
 *   whoseOf: ({ "x-team": team }) => String(team),
 *   limitsOf: (team) => ({ pool: createPool({ id: team, cost: 20, per: "day", store }), price }),
 * });
 */
export async function createSharedGateway(options: SharedGatewayOptions): Promise<Gateway> {
  const { whoseOf, limitsOf, ...common } = options;
  const runs = new SharedRuns(limitsOf);
  const opened = await open(common, ({ headers, query, whenOver }) => {
    const name = whoseOf(headers, query) ?? { refused: "The gateway does not know whose request this is." };
    return typeof name === "object" ? name.refused : runs.of(name, whenOver);
  });
  return {
    addresses: opened.addresses,
    close: async () => {
      opened.refuse();
      await runs.end();
      await opened.close();
    },
  };
}

async function open(
  { env = process.env, maxBody, port, secret, hosts }: CommonOptions,
  runOf: ServerParts["runOf"],
): Promise<{ addresses: Addresses; refuse(): void; close(): Promise<void> }> {
  if (secret !== undefined && !/^[\w-]{16,}$/.test(secret))
    throw new InvalidLimit("secret", "(hidden)", "at least 16 letters, digits, - and _");
  const routes = new Routes(secret);
  const connections: UpstreamConnections = upstreamConnections(env);
  const server: Server = await listen({ routes, connections, runOf, maxBody, ...(hosts && { hosts }) }, port);
  const address = addressOf(server);
  return {
    addresses: { to: (upstream) => address + routes.pathTo(upstream) },
    // No new connection is accepted.
    refuse: () => void server.close(),
    close: async () => {
      connections.close();
      server.closeAllConnections();
    },
  };
}
