/** What has been spent since a limit last started over, as plain data. */
export interface Spent {
  turns: number;
  steps: number;
  /** Milliseconds, without those in which a person was waited for. */
  time: number;
  /** Input tokens that were neither read from nor written to a cache. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** US dollars, as far as prices are known. */
  cost: number;
  /** Tool calls, by the name of the tool. */
  calls: Readonly<Record<string, number>>;
}

export function nothingSpent(): Spent {
  return {
    turns: 0,
    steps: 0,
    time: 0,
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    cost: 0,
    calls: {},
  };
}

/** What was spent after `start`, or all of it. */
export function spentSince(start: Spent | null, { calls, ...now }: Spent): Spent {
  if (!start) return { ...now, calls };
  const spent = { ...now };
  for (const part of Object.keys(spent) as (keyof typeof spent)[]) spent[part] -= start[part];
  const since = Object.entries(calls).map(([tool, count]) => [tool, count - callsOf(start, tool)]);
  return { ...spent, cost: exact(spent.cost), calls: Object.fromEntries(since) };
}

/** How often a tool was called. Tools may be called `constructor`. */
export function callsOf({ calls }: Spent, tool: string): number {
  return Object.hasOwn(calls, tool) ? (calls[tool] ?? 0) : 0;
}

/** An amount without the noise of binary fractions: eight times $0.10 are $0.80. */
export function exact(amount: number): number {
  return Number.isInteger(amount) ? amount : Math.round(amount * 1e9) / 1e9;
}
