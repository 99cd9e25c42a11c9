import type { LimitIdentity } from "../../src/index.ts";

const KINDS = ["steps", "turns", "requests", "tokens", "cost", "time", "repeats"] as const;

/** A limit as a boundary names it: a built-in one by its kind, or by `tools.NAME`; else one of somebody's own. */
export function named(
  name: string,
  { pool, per }: Pick<LimitIdentity, "pool" | "per"> = {},
): { limit: string; identity: LimitIdentity } {
  const whose = { ...(pool !== undefined && { pool }), ...(per !== undefined && { per }) };
  const limit = name + (pool !== undefined ? ` of pool ${pool}` : per !== undefined ? ` per ${per}` : "");
  const kind = KINDS.find((kind) => kind === name);
  if (kind) return { limit, identity: { kind, ...whose } };
  const tool = name.startsWith("tools.") ? name.slice("tools.".length) : undefined;
  return { limit, identity: tool === undefined ? { kind: "custom" } : { kind: "tools", tool, ...whose } };
}
