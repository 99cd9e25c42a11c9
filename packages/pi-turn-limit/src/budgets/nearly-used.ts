import type { Boundary } from "turn-limit";
import type { Pool } from "../core.ts";
import { isNearlyUsedUp } from "../limits/nearly-used-up.ts";

/** Finds the limits of which so much is used that the person should know, each once in its period, whoever tells it. */
export async function claimNearlyUsed(
  pools: readonly Pool[],
  standings: readonly Boundary[],
  told: Set<string>,
): Promise<Boundary[]> {
  const due: Boundary[] = [];
  for (const pool of pools)
    for (const { limit } of pool.limits) {
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
