import type { GatewayRunOptions } from "../../gateway/requests/gateway-run.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { createPool } from "../../pools/pool.ts";
import { howToExtend } from "../how-to-extend.ts";
import type { GatewayCommandOptions } from "./gateway-options.ts";

/** The budgets of one person or team: a pool, and one more for each period. All gateways on the store share them. */
export function budgetsOf(
  name: string,
  { limits, unpriced }: GatewayCommandOptions,
  store: Store,
): Pick<GatewayRunOptions, "pool" | "howToRaise"> {
  const periods = [...new Set(limits.map(({ per }) => per))];
  const pool = periods.map((per) => {
    const ofPeriod = limits.filter((limit) => limit.per === per);
    const settings = ofPeriod.map(({ measure, max }) => [
      measure,
      { max, onExhausted: "stop", ...(measure === "cost" && { unpriced }) },
    ]);
    return createPool({
      ...Object.fromEntries(settings),
      id: per ? `${name} per ${per}` : name,
      ...(per && { per, identity: { per } }),
      store,
    });
  });
  return { pool, howToRaise: ({ limit }) => howToExtend(limit, pool) };
}
