import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { InvalidLimit } from "../core/errors/invalid-limit.ts";
import { messageOf } from "../core/errors/message-of.ts";
import { respond } from "./forward/exchange.ts";
import { MAX_HEADER_BYTES } from "./forward/headers.ts";
import { upstreamConnections } from "./forward/upstream-connections.ts";
import { handleOddRequests, isWebSocket } from "./odd-requests.ts";
import { errorBody } from "./protocols/made-answer.ts";
import { GatewayRun } from "./requests/gateway-run.ts";
import type { GatewayRunOptions } from "./requests/options.ts";
import type { GatewaySummary } from "./requests/summary.ts";
import { Routes } from "./routes.ts";
import { handle, type ServerParts } from "./server.ts";
import { SharedRuns } from "./shared-runs.ts";

/** The addresses of the gateway, for agents. */
export interface Addresses {
  /**
   * The address, without a slash at its end, at which everything reaches the provider at `upstream`, which is a base
   * address such as `https://api.anthropic.com`.
   */
  to(upstream: string): string;
  /**
   * The same without a secret in it, for where others can read it. Whoever uses it sends `key` in the header
   * `x-turn-limit-key`.
   */
  keyless(upstream: string): string;
  readonly key: string;
}

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
  /**
   * Answers requests for `/metrics`, which belong to no run: it has to ask for a secret of its own. Left out: there is
   * nothing at this address.
   */
  readonly metrics?: ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | undefined;
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
  readonly run: Pick<GatewayRun, "summary" | "member" | "standings">;
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
  const { env, maxBody, port, secret, hosts, metrics, ...limits } = options;
  const run = new GatewayRun(limits);
  const opened = await open({ env, maxBody, port, secret, hosts, metrics }, () => run);
  return {
    addresses: opened.addresses,
    run,
    close: () => opened.close(run),
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
  const opened = await open(common, ({ request, response }, query) => {
    const name = whoseOf(allHeadersOf(request), new URLSearchParams(query)) ?? {
      refused: "The gateway does not know whose request this is.",
    };
    if (typeof name === "object") return name.refused;
    return runs.of(name, (callback) => response.once("close", callback));
  });
  return { addresses: opened.addresses, close: () => opened.close(runs) };
}

// `headers` drops duplicates of some headers, which are forwarded nevertheless.
function allHeadersOf({ headersDistinct }: IncomingMessage): Record<string, string | string[] | undefined> {
  const entries = Object.entries(headersDistinct);
  return Object.fromEntries(
    entries.map(([name, values = []]) => [name, values.length === 1 ? values[0] : values]),
  );
}

/** The only address that the server listens at. */
const LOOPBACK = "127.0.0.1";

/** Longer than agents keep their connections. */
const KEEP_ALIVE = 120_000;

async function open(
  { env = process.env, maxBody, port = 0, secret, hosts, metrics }: CommonOptions,
  runOf: ServerParts["runOf"],
): Promise<{ addresses: Addresses; close<Ended>(runs: { end(): Promise<Ended> }): Promise<Ended> }> {
  if (secret !== undefined && !/^[\w-]{16,}$/.test(secret))
    throw new InvalidLimit("secret", "(hidden)", "at least 16 letters, digits, - and _");
  const routes = new Routes(secret);
  const otherHosts = hosts ? [...hosts] : [];
  const connections = upstreamConnections(env);
  const accepted = new Set<string>();
  const parts: ServerParts = { routes, connections, runOf, maxBody, hosts: accepted, metrics };
  const take = (request: IncomingMessage, response: ServerResponse) => {
    handle(parts, request, response).catch((error) => fail(response, error));
  };
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: KEEP_ALIVE,
      requestTimeout: 0,
      noDelay: true,
      requireHostHeader: false,
      shouldUpgradeCallback: isWebSocket,
    },
    take,
  );
  // A client may close its half of the connection once it has sent its request. Node has a name for it, and no type.
  Object.assign(server, { httpAllowHalfOpen: true });
  // `Expect` is for the provider to answer.
  server.on("checkExpectation", take);
  handleOddRequests(server);
  await once(server.listen(port, LOOPBACK), "listening");
  const { port: listensAt } = server.address() as AddressInfo;
  for (const host of [`${LOOPBACK}:${listensAt}`, `localhost:${listensAt}`, ...otherHosts])
    accepted.add(host.toLowerCase());
  const address = `http://${LOOPBACK}:${listensAt}`;
  // An address of this gateway stands for the provider behind it: an agent may be pointed here twice.
  const behind = (upstream: string) => {
    const ours = upstream.startsWith(`${address}/`)
      ? routes.find(upstream.slice(address.length), true)
      : undefined;
    return ours ? ours.endpoint.upstream.address + ours.endpoint.path : upstream;
  };
  return {
    addresses: {
      to: (upstream) => address + routes.pathTo(behind(upstream)),
      keyless: (upstream) => address + routes.keylessPathTo(behind(upstream)),
      key: routes.key,
    },
    close: async (runs) => {
      // No new connection is accepted.
      server.close();
      const ended = await runs.end();
      connections.close();
      server.closeAllConnections();
      return ended;
    },
  };
}

// A request that cannot be handled is not forwarded: what is not counted must not pass.
function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) response.destroy();
  else respond(response, 502, errorBody(undefined, 502, `The gateway failed: ${messageOf(error)}`));
}
