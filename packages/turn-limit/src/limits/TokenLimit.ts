import { budgetOf, type ReserveOptions } from "./BudgetOptions.ts";
import { type CustomLimit, requireLimit } from "./Limit.ts";
import { type Max, requireCount, requireMax } from "./Max.ts";

/** A budget of tokens. */
export interface TokenOptions extends ReserveOptions {
  /** Do tokens that were read from a cache count? Default: no. */
  cacheReads?: boolean;
  /** Do tokens that were written to a cache count? Default: no. */
  cacheWrites?: boolean;
}

/** Input and output tokens, and those of the cache if they are to count. */
export function tokenLimit(given: Max | TokenOptions): CustomLimit {
  const { max = "unlimited", cacheReads, cacheWrites, reserve = 0, ...policy } = budgetOf(given);
  return requireLimit({
    ...policy,
    name: "tokens",
    max: requireMax("tokens.max", max),
    reserve: requireCount("tokens.reserve", reserve),
    used: ({ input, output, cacheRead, cacheWrite }) =>
      input + output + (cacheReads ? cacheRead : 0) + (cacheWrites ? cacheWrite : 0),
  });
}
