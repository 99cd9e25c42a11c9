import { isPlainObject } from "../../core/checks.ts";
import { objectIn, parsed } from "../../gateway/protocols/parts-of-json.ts";
import { wrongInput } from "../command-error.ts";
import type { Maxima } from "../pooled-limits.ts";

/** The variable by which an agent, and a run inside this one, is told what counts already. */
export const OUTER_RUN = "TURN_LIMIT_OUTER_RUN";

/** A pool, and what it is limited to. */
export interface LimitedPool {
  readonly id: string;
  readonly maxima: Maxima;
}

/** The run in which this one was started. */
export interface OuterRun {
  /** The address of its gateway, without a path. What is sent there counts in its pools. */
  readonly origin: string;
  readonly store: string;
  readonly pools: readonly LimitedPool[];
}

/** The run in which this one was started, if its variable can be read. */
export function outerRun(env: Readonly<Record<string, string | undefined>>): OuterRun | undefined {
  const { origin, store, pools } = objectIn(parsed(env[OUTER_RUN] ?? ""));
  if (typeof origin !== "string" || typeof store !== "string" || !Array.isArray(pools)) return undefined;
  return pools.every(isLimitedPool) ? { origin, store, pools } : undefined;
}

function isLimitedPool(pool: unknown): pool is LimitedPool {
  return isPlainObject(pool) && typeof pool.id === "string" && isPlainObject(pool.maxima);
}

/** Does the run outside draw from the pool as well? Then its limits have to be the same in both. */
export function isOfOuterRun(
  { id, maxima }: LimitedPool,
  store: string,
  outer: OuterRun | undefined,
): boolean {
  const outside = outer?.store === store ? outer.pools.find((pool) => pool.id === id) : undefined;
  if (!outside) return false;
  if (isSame(outside.maxima, maxima)) return true;
  throw wrongInput(
    `The run in which this one was started draws from the pool ${JSON.stringify(id)}, too, with other limits. Use the same ` +
      "limits in both, or give them to one.",
  );
}

function isSame(one: Maxima, other: Maxima): boolean {
  const text = (maxima: Maxima) => JSON.stringify(Object.entries(maxima).sort());
  return text(one) === text(other);
}
