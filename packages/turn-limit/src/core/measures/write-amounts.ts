// How amounts are written for people and models: here, and nowhere else. An amount that was used is rounded to the nearest;
// beside its limit it has as many more decimals as it takes to show whether the limit is reached, or passed by 1 % or more.
// A limit is written exactly, as a person would type it: without what sums of binary fractions are off by.

type Limit = number | "unlimited";

/** A maximum: `25`, `1.25m`, `$0.015`, `1h30m`, `∞`. */
export function maxText({ format }: { format(amount: number): string }, max: Limit): string {
  return max === "unlimited" ? "∞" : format(asTyped(max));
}

/** Tokens in a few characters: `950`, `12.3k`, `1.5m`. `limit`: what they are shown beside. */
export function showTokens(value: number, limit?: Limit): string {
  if (value < 1_000) return String(Math.round(value));
  // With one decimal, thousands from here up would read as 1000.0k.
  const [unit, letter] = value < 999_950 ? [1_000, "k"] : [1_000_000, "m"];
  const scaled = typeof limit === "number" ? limit / unit : limit;
  return `${Number(rounded(value / unit, 1, scaled))}${letter}`;
}

/** Dollars: with two decimals for a cent or more, and with four below that. `limit`: what they are shown beside. */
export function showDollars(value: number, limit?: Limit): string {
  if (value <= 0) return "$0.00";
  if (value < 0.0001) return "<$0.0001";
  const text = rounded(value, value >= 0.01 ? 2 : 4, limit);
  const isReadable = text.length - text.indexOf(".") - 1 <= MOST_DECIMALS_OF_DOLLARS;
  if (isReadable || typeof limit !== "number") return `$${text}`;
  if (value < limit) return `<${formatDollars(limit)}`;
  // The decimals of a limit as small as this are read, too.
  return value >= limit * NOTICEABLE ? `$${text}` : formatDollars(asTyped(limit));
}

/** Milliseconds as `45s`, `6m 12s` or `1h 5m`. `limit`: what they are shown beside. */
export function showDuration(milliseconds: number, limit?: Limit): string {
  const seconds = Math.floor(milliseconds / SECOND) * SECOND;
  // A limit that is no whole number of seconds.
  const hidesTheEnd = typeof limit === "number" && milliseconds >= limit && seconds < limit;
  const units = unitsIn(hidesTheEnd ? Math.ceil(milliseconds) : seconds);
  const first = units.findIndex(([count]) => count > 0);
  const largest = first < 0 ? units.slice(2) : units.slice(first, hidesTheEnd ? undefined : first + 2);
  return largest
    .filter(([count], index) => index === 0 || count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join(" ");
}

/** Writes `200k`, `1.5m` or `182345`: a unit only where it is exact. */
export function formatTokens(tokens: number): string {
  if (tokens >= 1_000_000 && tokens % 10_000 === 0) return `${tokens / 1_000_000}m`;
  if (tokens >= 1_000 && tokens % 100 === 0) return `${tokens / 1_000}k`;
  return String(tokens);
}

/** Writes `$5.00` or `$0.125`, with two decimals, or as many as it takes to be exact. */
export function formatDollars(dollars: number): string {
  const [whole, decimals = ""] = withoutExponent(dollars).split(".");
  return `$${whole}.${decimals.padEnd(2, "0")}`;
}

/** Writes milliseconds as `10m` or `1h30m`; a fraction of a second, which cannot be typed, as `1.5s`. */
export function formatDuration(milliseconds: number): string {
  const units = unitsIn(milliseconds).filter(([count]) => count > 0);
  return units.length === 0 ? "0s" : units.map(([count, unit]) => `${count}${unit}`).join("");
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

function unitsIn(milliseconds: number): (readonly [count: number, unit: string])[] {
  return [
    [Math.floor(milliseconds / HOUR), "h"],
    [Math.floor((milliseconds % HOUR) / MINUTE), "m"],
    [(milliseconds % MINUTE) / SECOND, "s"],
  ];
}

const MOST_DECIMALS = 12;
// As many digits of an amount are right, also where it is a sum of some.
const SAFE_DIGITS = 14;
// Beyond that, nobody reads an amount of money.
const MOST_DECIMALS_OF_DOLLARS = 4;
// What binary fractions are off by at most, relative to the amount.
const BINARY_ERROR = 1e-12;
// By this much above its limit, an amount must not read as the limit.
const NOTICEABLE = 1.01;

function rounded(value: number, decimals: number, limit: Limit = "unlimited"): string {
  const factor = 10 ** decimals;
  const text = (Math.round(value * factor * (1 + BINARY_ERROR)) / factor).toFixed(decimals);
  const isRight = limit === "unlimited" || Number(text) >= limit === value >= limit;
  const isOver = limit !== "unlimited" && value > limit && value >= limit * NOTICEABLE;
  const hidesOverrun = isOver && Number(text) <= limit;
  return (isRight && !hidesOverrun) || decimals === MOST_DECIMALS
    ? text
    : rounded(value, decimals + 1, limit);
}

/** `0.3` for `0.1 + 0.2`, and 0 for what is left of `0.3 - 0.1 - 0.2`. */
function asTyped(value: number): number {
  return Number(Math.max(0, Number(value.toPrecision(SAFE_DIGITS))).toFixed(MOST_DECIMALS));
}

function withoutExponent(value: number): string {
  const [digits = "", exponent] = String(value).split("e");
  if (exponent === undefined) return digits;
  if (Number(exponent) > 0) return String(BigInt(value));
  return `0.${"0".repeat(-Number(exponent) - 1)}${digits.replace(".", "")}`;
}

/** Writes `80%` or `12.5%`. */
export function formatPercent(percent: number): string {
  return `${Number(percent.toFixed(2))}%`;
}

/** Per cent, rounded to the nearest. `limit`: what they are shown beside. */
export function showPercent(percent: number, limit?: Limit): string {
  return `${Number(rounded(percent, 0, limit))}%`;
}
