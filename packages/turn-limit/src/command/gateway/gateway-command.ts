import { isInvalidLimit } from "../../core/errors/invalid-limit.ts";
import { createSharedGateway, type Gateway } from "../../gateway/gateway.ts";
import type { GatewayRunOptions } from "../../gateway/requests/options.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { managedPool } from "../../pools/managed-pool.ts";
import { cannotBeDone, wrongInput } from "../command-error.ts";
import { Devices, devicesFolder } from "../dashboard/devices.ts";
import { metricsEndpoint } from "../dashboard/metrics-endpoint.ts";
import { byPeriod, howToExtend, howToPrice, loadPrice, settingsOf } from "../pooled-limits.ts";
import { Notices } from "../run/notices.ts";
import { storeOption, storeProblem, UNSHOWN_STORE } from "../stores.ts";
import type { Surroundings } from "../surroundings.ts";
import { type GatewayCommandOptions, readGatewayOptions } from "./gateway-options.ts";

/** `turn-limit gateway`: one gateway for many, with a budget each, until it is ended by a signal. */
export async function gatewayCommand(args: readonly string[], around: Surroundings): Promise<undefined> {
  const options = readGatewayOptions(args, around.env);
  const maxima = byPeriod(options.limits).map((limits) => limits.maxima);
  const price = await loadPrice(maxima, options.price);
  const store = await openedStore(options, around);
  const notices = new Notices(around.stderr);
  try {
    const metrics = await metricsEndpoint(store, new Devices(devicesFolder(around.env)));
    const gateway = await opened(options, around, metrics, (name) => ({
      ...budgetsOf(name, options, store),
      price,
      howToPrice,
      onWarning: (message) => notices.tell(`${name}: ${message}`),
    }));
    try {
      const variables = Object.entries(options.upstreams).map(([name, upstream]) => {
        const address = gateway.addresses.to(upstream);
        if (leadsBack(upstream, address, options.hosts))
          throw wrongInput(`${name}=${upstream} is this gateway itself. Use the address of the provider.`);
        return `${name}=${address}\n`;
      });
      around.stdout.write(variables.join(""));
      await untilSignal();
    } finally {
      await gateway.close();
    }
  } finally {
    await store.close();
  }
}

/**
 * The budgets of one person or team: a pool, one more for each period, and one for the windows of their subscription. All gateways on the store share what is used. How
 * much is allowed, each says itself, so that one can be started again with other limits.
 */
function budgetsOf(
  name: string,
  { limits, plan, unpriced, tell, store: address }: GatewayCommandOptions,
  store: Store,
): Pick<GatewayRunOptions, "pool" | "tell" | "howToRaise"> {
  const policy = { onExhausted: "stop" } as const;
  const pool = byPeriod(limits).map(({ per, ...wanted }) =>
    managedPool({
      ...settingsOf(wanted, policy, unpriced),
      id: per ? `${name} per ${per}` : name,
      ...(per && { per, identity: { per } }),
      store,
    }),
  );
  // Of the subscription of whoever sends it, so that one that is used up holds nobody else.
  if (plan.length > 0)
    pool.push(
      managedPool({
        id: `${name} subscription`,
        plan: Object.fromEntries(plan.map(({ window, max }) => [window, { max, ...policy }])),
        identity: {},
        store,
      }),
    );
  // Clients are not told where the gateway keeps its files.
  const inStore = storeOption(address) && UNSHOWN_STORE;
  return { pool, tell, howToRaise: ({ limit }) => howToExtend(limit, pool, inStore) };
}

async function openedStore({ store }: GatewayCommandOptions, around: Surroundings): Promise<Store> {
  let opened: Store | undefined;
  try {
    opened = await around.openStore(store, true);
    // Fails at once if the store cannot be used.
    await opened.list();
    return opened;
  } catch (error) {
    await opened?.close();
    throw storeProblem(store, error);
  }
}

async function opened(
  { port, secret, hosts, whoseOf }: GatewayCommandOptions,
  { env }: Surroundings,
  metrics: Parameters<typeof createSharedGateway>[0]["metrics"],
  limitsOf: Parameters<typeof createSharedGateway>[0]["limitsOf"],
): Promise<Gateway> {
  try {
    return await createSharedGateway({ whoseOf, limitsOf, env, port, secret, hosts, metrics });
  } catch (error) {
    if (isInvalidLimit(error))
      throw wrongInput(`TURN_LIMIT_GATEWAY_SECRET is not accepted. Use ${error.allowed}.`);
    const { code, message } = error as NodeJS.ErrnoException;
    throw cannotBeDone(
      code === "EADDRINUSE" ? `The port ${port} is in use. Use --port with another.` : message,
    );
  }
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
}

/**
 * Would what is sent on to this provider come back to the gateway? `own`: an address of the gateway. `hosts`: other names
 * under which it is reached.
 */
export function leadsBack(upstream: string, own: string, hosts: readonly string[]): boolean {
  const { host } = new URL(upstream);
  const { host: ours, port } = new URL(own);
  return [ours, `localhost:${port}`, ...hosts].includes(host);
}
