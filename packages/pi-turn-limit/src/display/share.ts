import type { Boundary } from "turn-limit";
import { isNearlyUsedUp } from "../limits/nearly-used-up.ts";

const ROUNDING = 1e-9;
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** Used divided by max, which may exceed 1: 1 for a max of 0, and `undefined` if there is no limit. */
export function shareOf({ used, max }: Pick<Boundary, "used" | "max">): number | undefined {
  if (max === "unlimited") return undefined;
  return max === 0 ? 1 : used / max;
}

/** How near a limit is, as a colour of the theme. */
export type Urgency = "success" | "warning" | "error";

/** Green, also where there is no limit; yellow at 80 % and more; red at the limit. */
export function urgencyOf(share: number | undefined): Urgency {
  if (share === undefined || !isNearlyUsedUp(share)) return "success";
  return share >= 1 ? "error" : "warning";
}

/** A share in per cent, rounded down: it reads as 100 % only at the limit. */
export function percentOf(share: number | undefined): string {
  if (share === undefined) return "";
  if (share >= 10) return ">999 %";
  if (share > 0 && share < 0.01) return "<1 %";
  return `${Math.floor(share * 100 + ROUNDING)} %`;
}

/** A share in per cent with one decimal, which reads as 0 or 100 only if it is exactly that. */
export function precisePercentOf(share: number): string {
  const value = share * 100;
  if (share > 0 && value < 0.1) return "<0.1 %";
  if (share < 1 && value > 99.9) return ">99.9 %";
  return `${value.toFixed(1)} %`;
}

/** A bar of block characters; anything above 0 is visible. */
export function bar(share: number, columns: number): string {
  const eighths = share === 0 ? 0 : Math.max(1, Math.round(share * columns * 8));
  return "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}
