import type { Boundary, Max } from "turn-limit";
import { dollars, tokens } from "./format.ts";

/** How much of a limit is used, or there is, as a person reads it: `12`, `182.3k`, `$0.93`, `6m 12s`, `∞`. */
export function amountText(limit: string, amount: Max): string {
  if (amount === "unlimited") return "∞";
  if (limit === "tokens") return tokens(amount).replace(".0", "");
  if (limit === "cost") return dollars(amount);
  if (limit === "time") return duration(amount);
  return String(amount);
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
