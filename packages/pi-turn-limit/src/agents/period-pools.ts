import type { Boundary, PoolOptions, Store } from "turn-limit";
import { type ManagedPool, managedPool } from "../core.ts";
import { isNearlyUsedUp } from "../limits/nearly-used-up.ts";
import { PERIODS, type Period, type PeriodLimit } from "../limits/periods.ts";

/** How long a session is remembered after its last turn. */
export const REMEMBERED = 92 * 86_400_000;

/** The pools of the limits that hold for a period: one for each period, over all sessions of a person or for this one. */
export class PeriodPools {
  readonly #store: Store;
  #known = new Map<string, ManagedPool>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The pools for these limits. The same limits have the same pools. */
  of(limits: readonly PeriodLimit[], session: string): ManagedPool[] {
    const pools = PERIODS.flatMap((per): [string, ManagedPool][] => {
      const options = optionsOf(per, limits, session);
      if (!options) return [];
      const key = JSON.stringify(options);
      return [[key, this.#known.get(key) ?? managedPool({ ...options, store: this.#store })]];
    });
    this.#known = new Map(pools);
    return [...this.#known.values()];
  }
}

/** The id of the pool of a period. */
export function poolOf(per: Period, session: string): string {
  return per === "session" ? `session ${session}` : `every session per ${per}`;
}

function optionsOf(per: Period, limits: readonly PeriodLimit[], session: string): PoolOptions | undefined {
  const ofPeriod = limits.filter((limit) => limit.per === per);
  if (ofPeriod.length === 0) return undefined;
  return {
    id: poolOf(per, session),
    ...(per === "session" ? { keepFor: REMEMBERED } : { per }),
    identity: { per },
    unreachable: "ask",
    ...Object.fromEntries(ofPeriod.map(({ kind, max, options }) => [kind, { max, ...options }])),
  };
}

/** Finds the limits of which so much is used that the person should know, each once in its period, whoever tells it. */
export async function claimNearlyUsed(
  pools: readonly ManagedPool[],
  standings: readonly Boundary[],
  told: Set<string>,
): Promise<Boundary[]> {
  const due: Boundary[] = [];
  for (const pool of pools)
    for (const { limit } of pool.definition.limits) {
      const standing = standings.find((standing) => standing.limit === limit.name);
      if (!standing || typeof standing.max !== "number" || standing.max === 0) continue;
      const share = standing.used / standing.max;
      const mark = `told about ${standing.limit} of ${standing.max}`;
      if (!isNearlyUsedUp(share) || share >= 1 || told.has(mark)) continue;
      told.add(mark);
      if (await pool.mark(mark).catch(() => false)) due.push(standing);
    }
  return due;
}
