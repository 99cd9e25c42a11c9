import type { Boundary, Max } from "turn-limit";
import { formatDollars, formatDuration, formatTokens } from "../config/amounts.ts";
import { dollars, tokens } from "./format.ts";

// What binary fractions add to a number of cents.
const ROUNDING = 1e-7;

/** How much of something is used, as a person reads it: `12`, `182.3k`, `$0.93`, `6m 12s`. Never more than it is. */
export function amountText(limit: string, amount: number): string {
  if (limit === "tokens") return tokens(roundedDown(amount)).replace(".0", "");
  if (limit === "cost") return dollars(amount < 0.01 ? amount : Math.floor(amount * 100 + ROUNDING) / 100);
  if (limit === "time") return duration(amount);
  return String(amount);
}

/** How much of it there is, exactly: `25`, `1.25m`, `$0.015`, `1h30m`, `∞`. */
export function maxText(limit: string, max: Max): string {
  if (max === "unlimited") return "∞";
  if (limit === "tokens") return formatTokens(max);
  if (limit === "cost") return Number.isInteger(max) ? dollars(max) : formatDollars(max);
  return limit === "time" ? formatDuration(max) : String(max);
}

function roundedDown(count: number): number {
  const unit = count < 1_000 ? 1 : count < 1_000_000 ? 100 : 100_000;
  return Math.floor(count / unit) * unit;
}

/** How much of a limit is used; of a cost that is not all known, what is. */
export function usedText({ limit, used, unpriced }: Boundary): string {
  const text = amountText(limit, used);
  if (!unpriced) return text;
  return used === 0 ? "?" : `≥${text}`;
}

/** A time in its two largest units: `45s`, `6m 12s`, `1h 5m`. */
export function duration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1_000);
  const units = [
    [Math.floor(seconds / 3_600), "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ] as const;
  const first = units.findIndex(([count]) => count > 0);
  const shown = first < 0 ? units.slice(2) : units.slice(first, first + 2);
  return shown
    .filter(([count], index) => index === 0 || count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join(" ");
}
