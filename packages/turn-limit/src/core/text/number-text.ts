import type { Max } from "../limits/boundary.ts";

/** A number of things: `1 prompt`, `2 prompts`. */
export function countOf(count: number, thing: string): string {
  return `${whole(count)} ${thing}${count === 1 ? "" : "s"}`;
}

/** Words in a sentence: `turns, steps and cost`. */
export function listed(words: readonly string[], last: "and" | "or"): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

/** `1,200`. By hand: the first use of a locale takes as long as the rest of a run. */
export function whole(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}

// How an amount is rounded: here, and nowhere else. To the nearest; beside its limit with as many more decimals as it
// takes to show whether the limit is reached, or passed by 1 % or more.

/** Tokens in a few characters: `950`, `12.3k`, `1.5m`. `limit`: what they are shown beside. */
export function tokens(value: number, limit?: Max): string {
  if (value < 1_000) return whole(value);
  // With one decimal, thousands from here up would read as 1000.0k.
  const [unit, letter] = value < 999_950 ? [1_000, "k"] : [1_000_000, "m"];
  const scaled = typeof limit === "number" ? limit / unit : limit;
  return `${rounded(value / unit, 1, scaled).replace(/\.0$/, "")}${letter}`;
}

/** Dollars: with two decimals for a cent or more, and with four below that. `limit`: what they are shown beside. */
export function dollars(value: number, limit?: Max): string {
  if (value > 0 && value < 0.0001) return "<$0.0001";
  return `$${rounded(value, value === 0 || value >= 0.01 ? 2 : 4, limit)}`;
}

const MOST_DECIMALS = 12;
// What binary fractions are off by at most, relative to the amount.
const BINARY_ERROR = 1e-12;
// By this much above its limit, an amount must not read as the limit.
const NOTICEABLE = 1.01;

function rounded(value: number, decimals: number, limit: Max = "unlimited"): string {
  const factor = 10 ** decimals;
  const text = (Math.round(value * factor * (1 + BINARY_ERROR)) / factor).toFixed(decimals);
  const isRight = limit === "unlimited" || Number(text) >= limit === value >= limit;
  const hidesOverrun = limit !== "unlimited" && value >= limit * NOTICEABLE && Number(text) <= limit;
  return (isRight && !hidesOverrun) || decimals === MOST_DECIMALS
    ? text
    : rounded(value, decimals + 1, limit);
}
