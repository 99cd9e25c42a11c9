/**
 * How much of each thing that is measured: `turns`, `requests`, `steps`, `tokens`, `cost`, `time`, `tools.<name>`. Whole numbers
 * only, so that every store adds them up alike: cost in billionths of a US dollar, time in milliseconds.
 */
export type Amounts = Readonly<Record<string, number>>;

/** Amounts that nobody else holds, without a prototype: a tool may be called anything. */
export function amounts(from: Amounts = {}): Record<string, number> {
  return Object.assign(Object.create(null), from);
}

/** Adds amounts to others, in place. What comes to nothing is left out. */
export function add(to: Record<string, number>, what: Amounts, sign: 1 | -1 = 1): void {
  for (const [measure, amount] of Object.entries(what)) {
    const sum = (to[measure] ?? 0) + sign * amount;
    if (sum === 0) delete to[measure];
    else to[measure] = sum;
  }
}

/** The amount of a measure, by own properties only: a tool may be called `constructor`. */
export function of<T>(from: Readonly<Record<string, T>> | undefined, measure: string): T | undefined {
  return from && Object.hasOwn(from, measure) ? from[measure] : undefined;
}
