import type { Boundary, PoolOptions, Store } from "turn-limit";
import { type ManagedPool, managedPool } from "../core.ts";
import { isNearlyUsedUp } from "../limits/nearly-used-up.ts";
import { PERIODS, type Period, type PeriodLimit } from "../limits/periods.ts";

/** How long a session is remembered after its last turn. */
export const REMEMBERED = 92 * 86_400_000;

/** A limit for a period that a session draws from: its own, over all sessions of a person, or that of a session above. */
export interface DrawnPeriod extends PeriodLimit {
  /** Of a limit per session: the session above that it is for. Left out: this one. */
  readonly above?: string;
}

/** The pools of these limits: one for each period, and one for each session above. */
export function periodPools(limits: readonly DrawnPeriod[], session: string, store: Store): ManagedPool[] {
  const inOrder = limits.toSorted((one, other) => PERIODS.indexOf(one.per) - PERIODS.indexOf(other.per));
  const ids = new Set(inOrder.map(({ per, above = session }) => poolOf(per, above)));
  return [...ids].map((id) => {
    const ofPool = inOrder.filter(({ per, above = session }) => poolOf(per, above) === id);
    return managedPool({ ...optionsOf(id, ofPool), store });
  });
}

const ONE_SESSION = "session ";
const EVERY_SESSION = "every session per ";

/** The id of the pool of a period. */
export function poolOf(per: Period, session: string): string {
  return per === "session" ? ONE_SESSION + session : EVERY_SESSION + per;
}

/** Is it such a pool, or a record of one? */
export function isOfPeriod(pool: string): boolean {
  return pool.startsWith(ONE_SESSION) || pool.startsWith(EVERY_SESSION);
}

function optionsOf(id: string, limits: readonly DrawnPeriod[]): PoolOptions {
  const [{ per, above } = { per: "session" } as const] = limits;
  return {
    id,
    ...(per === "session" ? { keepFor: REMEMBERED } : { per }),
    ...(above === undefined ? { identity: { per }, unreachable: "ask" } : { identity: { pool: id, per } }),
    ...Object.fromEntries(limits.map(({ kind, max, options }) => [kind, { max, ...options }])),
  };
}

/** Finds the limits of which 80 % or more is used, each once in its period for all sessions: marks them as reported. */
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
