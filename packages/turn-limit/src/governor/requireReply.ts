import { InvalidLimit } from "../errors/InvalidLimit.ts";
import { requireAmount, requireCount } from "../limits/Max.ts";
import type { Reply } from "./Decision.ts";

const ALLOWED = 'true, false, { more: … }, "unlimited" or "wrap-up"';

/** Returns `reply` if it is one to a question about this limit, otherwise throws `InvalidLimit`. None at all is a no. */
export function requireReply(limit: string, reply: unknown): Reply {
  if (typeof reply === "boolean" || reply === "unlimited" || reply === "wrap-up") return reply;
  if (reply === undefined || reply === null) return false;
  if (typeof reply !== "object" || !("more" in reply)) throw new InvalidLimit("reply", reply, ALLOWED);
  return { more: requireMore(limit, reply.more) };
}

function requireMore(limit: string, more: unknown): number {
  const isCounted = ["turns", "tokens", "repeats"].includes(limit) || limit.startsWith("tools.");
  if (isCounted) return requireCount("reply.more", more, 1);
  const amount = requireAmount("reply.more", more);
  if (amount > 0) return amount;
  throw new InvalidLimit("reply.more", more, "a number above 0");
}
