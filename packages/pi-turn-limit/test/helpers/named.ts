import type { LimitIdentity } from "turn-limit";
import { limitAt, limitOf } from "../../src/limits/limit-of.ts";
import { identityOf, type PiLimit } from "../../src/limits/pi-limit.ts";

const TOOLS = "tools.";

/** A limit as the core names it, by its label: `tokens`, `tools.bash`, `cost per day`. */
export function named(limit: string): { limit: string; identity: LimitIdentity } {
  const known = limitAt(limit.startsWith(TOOLS) ? ["tools", limit.slice(TOOLS.length)] : [limit]);
  return { limit, identity: known ? identityOf(known) : { kind: "custom" } };
}

/** What the extension knows of the limit with this label. */
export function limitCalled(limit: string): PiLimit {
  return limitOf(named(limit));
}
