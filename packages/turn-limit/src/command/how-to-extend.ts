import type { Pool } from "../pools/pool.ts";
import { exampleOf } from "./measures.ts";

/** The command that allows more of a limit of these pools. */
export function howToExtend(limit: string, pools: readonly Pool[]): string | undefined {
  for (const { id, limits, gates } of pools) {
    const reached = limits.find((pooled) => pooled.limit.name === limit);
    if (reached) {
      const amount = quoted(exampleOf(reached.measure));
      return `To allow more: npx turn-limit pools extend ${quoted(id)} ${reached.measure} ${amount}`;
    }
    if (gates.freeze.name === limit) return `To go on: npx turn-limit pools unfreeze ${quoted(id)}`;
  }
  return undefined;
}

/** A word as a shell reads it. */
function quoted(word: string): string {
  return /^[\w-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
