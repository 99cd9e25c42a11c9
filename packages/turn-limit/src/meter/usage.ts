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
const isMeasured = (value: unknown) => isAmount(value) && value <= MOST;
const measured: Check<number> = check(isMeasured, `a number from 0 to ${MOST}`);

const PARTS = ["input", "output", "cacheRead", "cacheWrite", "cost"] as const;

/** Returns `value` if it is a {@link Usage}. A bad number must not lift a limit. */
export const requireUsage: Check<Usage> = (value, name) => {
  const usage = Object(value) as Usage;
  const { input, output, cacheRead = 0, cacheWrite = 0, cost = 0 } = usage;
  // At every turn, so it is fast where nothing is wrong.
  if (
    isMeasured(input) &&
    isMeasured(output) &&
    isMeasured(cacheRead) &&
    isMeasured(cacheWrite) &&
    isMeasured(cost)
  )
    return usage;
  if (!isPlainObject(value)) throw new InvalidLimit(name, value, "an object with input and output");
  for (const [part, used] of Object.entries({ input, output, cacheRead, cacheWrite, cost }))
    measured(used, `${name}.${part}`);
  return usage;
};

/** What an answer costs, if that is known. */
export const requirePrice: Check<number> = measured;

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
