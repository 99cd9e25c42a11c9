import type { Interval } from "./statistics.ts";

/** Nanoseconds, in the unit that suits them. */
export function time(ns: number): string {
  const size = Math.abs(ns);
  if (size < 1e3) return `${ns.toFixed(0)} ns`;
  if (size < 1e6) return `${(ns / 1e3).toFixed(1)} µs`;
  return size < 1e9 ? `${(ns / 1e6).toFixed(2)} ms` : `${(ns / 1e9).toFixed(1)} s`;
}

export function count(value: number): string {
  return value.toLocaleString("en");
}

/** A ratio, and in brackets where the true one is. */
export function times({ middle, low, high }: Interval): string {
  return `${middle.toFixed(3)} (${low.toFixed(3)}–${high.toFixed(3)})`;
}
