import { type Check, check, isAmount, isPlainObject } from "../checks.ts";
import { InvalidLimit } from "../errors/invalid-limit.ts";

/** What a model answer took, as its provider reports it. What it does not report is left out. */
export interface Usage {
  /** Input tokens that were neither read from nor written to a cache. */
  input: number;
  output: number;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
  /** US dollars, where the host knows the price. */
  cost?: number | undefined;
}

// More than any answer takes. A sum with much larger numbers in it would lose what is added later.
const MOST = 1e12;
/** Can it be what an answer took? */
export const isMeasured = (value: unknown): value is number => isAmount(value) && value <= MOST;
const measured: Check<number> = check(isMeasured, `a number from 0 to ${MOST}`);

const PARTS = ["input", "output", "cacheRead", "cacheWrite", "cost"] as const;

/** Returns `value` if it is a {@link Usage}. A bad number must not lift a limit. */
export const requireUsage: Check<Usage> = (value, name) => {
  // Read once: what was checked is what is counted.
  const { input, output, cacheRead, cacheWrite, cost } = Object(value) as Usage;
  const isUsage =
    isMeasured(input) &&
    isMeasured(output) &&
    (cacheRead === undefined || isMeasured(cacheRead)) &&
    (cacheWrite === undefined || isMeasured(cacheWrite)) &&
    (cost === undefined || isMeasured(cost));
  if (isUsage) return { input, output, cacheRead, cacheWrite, cost };
  if (!isPlainObject(value)) throw new InvalidLimit(name, value, "an object with input and output");
  const parts = { input, output, ...defined({ cacheRead, cacheWrite, cost }) };
  for (const [part, used] of Object.entries(parts)) measured(used, `${name}.${part}`);
  return parts;
};

/** What an answer costs, if that is known. */
export const requirePrice: Check<number> = measured;

function defined<T extends object>(parts: T): Partial<T> {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) as Partial<T>;
}

/** The sum of two usages. */
export function addUsage(one: Usage, other: Usage): Usage {
  const sum: Usage = { input: 0, output: 0 };
  for (const part of PARTS) {
    if (one[part] !== undefined || other[part] !== undefined)
      sum[part] = exact((one[part] ?? 0) + (other[part] ?? 0));
  }
  return sum;
}

/** An amount without the noise of binary fractions: eight times $0.10 are $0.80. Tiny amounts stay as they are. */
export function exact(amount: number): number {
  const near = Math.round(amount * 1e12) / 1e12;
  return Math.abs(near - amount) <= amount * 1e-14 ? near : amount;
}
