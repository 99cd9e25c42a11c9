import type { Boundary, Spent } from "turn-limit";
import type { GovernedRun } from "./governed-run.ts";

/** What is used of a limit, whether there is a maximum or not. */
export function standingOf(
  limit: string,
  { standings, spent }: Pick<GovernedRun, "standings" | "spent">,
): Boundary {
  const standing = standings.find((one) => one.limit === limit);
  return standing ?? { limit, used: spent ? usedOf(limit, spent) : 0, max: "unlimited" };
}

function usedOf(limit: string, spent: Spent): number {
  if (limit === "tokens") return spent.input + spent.output;
  if (limit === "steps" || limit === "cost" || limit === "time") return spent[limit];
  return limit.startsWith("tools.") ? (spent.calls[limit.slice("tools.".length)] ?? 0) : 0;
}
