import { exact } from "./Spent.ts";

/** What a model answer took, as its provider reports it. What it does not report is left out. */
export interface Usage {
  /** Input tokens that were neither read from nor written to a cache. */
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
  /** US dollars, where the host knows the price. */
  cost?: number;
}

/** The sum of two usages. */
export function addUsage(one: Usage | null, other: Usage): Usage {
  const sum: Usage = { input: (one?.input ?? 0) + other.input, output: (one?.output ?? 0) + other.output };
  for (const part of ["cacheRead", "cacheWrite", "cost"] as const) {
    if (one?.[part] !== undefined || other[part] !== undefined)
      sum[part] = exact((one?.[part] ?? 0) + (other[part] ?? 0));
  }
  return sum;
}
