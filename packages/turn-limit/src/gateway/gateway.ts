import type { Server } from "node:http";
import { InvalidLimit } from "../core/errors/invalid-limit.ts";
import { type UpstreamConnections, upstreamConnections } from "./forward/upstream-connections.ts";
import { GatewayRun, type GatewayRunOptions } from "./requests/gateway-run.ts";
import type { GatewaySummary } from "./requests/summary.ts";
import { type Addresses, Routes } from "./routes.ts";
import { addressOf, listen, type ServerParts } from "./server.ts";
import { SharedRuns } from "./shared-runs.ts";

/** What every gateway can be given. */
interface CommonOptions {
  /** Where `HTTPS_PROXY` and `NO_PROXY` are looked up. Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The most bytes that a request may have. Default: 64 MiB. */
  readonly maxBody?: number | undefined;
  /** The port. Default: one that is free. */
  readonly port?: number | undefined;
  /** The part of the path that nobody can guess. Default: a new one. */
  readonly secret?: string | undefined;
  /** Names under which it may be reached, besides those of this machine: a host, with its port. */
  readonly hosts?: readonly string[] | undefined;
}

/** What a gateway for one run is given: limits as for every adapter, of which none is the default. */
export type GatewayOptions = GatewayRunOptions & CommonOptions;

/** What a gateway for many is given. */
export interface SharedGatewayOptions extends CommonOptions {
  /**
   * Whose request it is, by its headers and the query of its address. A name each. `undefined`, or `refused` with the
   * reason: it belongs to nobody, and is refused with 403. A header that was sent several times is a list.
   */
  whoseOf(
    headers: Readonly<Record<string, string | string[] | undefined>>,
    query: URLSearchParams,
  ): string | undefined | { readonly refused: string };
  /**
   * The limits of one of them, when the first request comes. They are to be those of pools: where a pool is used up,
   * requests are refused until it admits more. Of 10,000 names, the one that was not used for longest is forgotten, and
   * this is called again when it comes back.
   */
  limitsOf(name: string): GatewayRunOptions;
}

/** A server on this machine, between agents and the providers of their models. */
export interface Gateway {
  readonly addresses: Addresses;
  /** Ends everything: what is under way is cut off, and pools are told what was used. */
  close(): Promise<void>;
}

/** A gateway for one run. */
export interface RunGateway extends Omit<Gateway, "close"> {
  readonly run: Pick<GatewayRun, "summary" | "member">;
  /** The same, and what the run came to. */
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
    // Nothing new is taken.
    refuse: () => void server.close(),
    close: async () => {
      connections.close();
      server.closeAllConnections();
    },
  };
}
