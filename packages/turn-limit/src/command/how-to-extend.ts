import { TOOLS } from "../core/limits/kinds.ts";
import type { Pool } from "../pools/pool.ts";
import { exampleOf } from "./measures.ts";

/** The command that allows more of a limit of these pools. */
export function howToExtend(limit: string, pools: readonly Pool[]): string | undefined {
  for (const { id, sharedLimits } of pools) {
    const reached = sharedLimits.find(({ name }) => name === limit)?.identity;
    if (reached?.kind === "freeze") return `To go on: npx turn-limit pools unfreeze ${quoted(id)}`;
    if (!reached || reached.kind === "store") continue;
    const measure = reached.tool === undefined ? reached.kind : TOOLS + reached.tool;
    return `To allow more: npx turn-limit pools extend ${quoted(id)} ${measure} ${quoted(exampleOf(measure))}`;
  }
  return undefined;
}

/** A word as a shell reads it. */
function quoted(word: string): string {
  return /^[\w-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
