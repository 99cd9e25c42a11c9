import type { Pool } from "../pools/pool.ts";
import { exampleOf, measureOf } from "./measures.ts";

/** The command that allows more of a limit of these pools. */
export function howToExtend(limit: string, pools: readonly Pool[]): string | undefined {
  for (const { id, sharedLimits } of pools) {
    const identity = sharedLimits.find(({ name }) => name === limit)?.identity;
    if (identity?.kind === "freeze") return `To go on: npx turn-limit pools unfreeze ${quoted(id)}`;
    if (!identity || identity.kind === "store") continue;
    const measure = measureOf({ limit, identity });
    return `To allow more: npx turn-limit pools extend ${quoted(id)} ${measure} ${quoted(exampleOf(measure))}`;
  }
  return undefined;
}

/** A word as a shell reads it. */
function quoted(word: string): string {
  return /^[\w-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
