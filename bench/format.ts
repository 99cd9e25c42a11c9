import type { Goal, Unit, Verdict } from "./measurement.ts";
import type { Interval } from "./statistics.ts";

const formats: Record<Unit, (value: number) => string> = {
  ns: time,
  ms: (ms) => time(ms * 1e6),
  bytes: (bytes) =>
    Math.abs(bytes) < 1000 ? `${bytes.toFixed(0)} bytes` : `${(bytes / 1000).toFixed(1)} kB`,
  "per second": (rate) => `${count(Math.round(rate))}/s`,
  "of a core": (share) => `${(share * 100).toFixed(1)} % of a core`,
  instructions: (instructions) => `${(instructions / 1e9).toFixed(3)} G instructions`,
};

/** An amount, in the unit that suits it. */
export function amount(value: number, unit: Unit): string {
  return formats[unit](value);
}

function time(ns: number): string {
  const size = Math.abs(ns);
  if (size < 100) return `${ns.toFixed(1)} ns`;
  if (size < 1e6) return `${(ns / 1e3).toFixed(2)} µs`;
  return size < 1e9 ? `${(ns / 1e6).toFixed(2)} ms` : `${(ns / 1e9).toFixed(1)} s`;
}

export function count(value: number): string {
  return value.toLocaleString("en");
}

/** A ratio, and in brackets where the true one is. */
export function times({ middle, low, high }: Interval): string {
  return `${middle.toFixed(3)} (${low.toFixed(3)}–${high.toFixed(3)})`;
}

/** An amount, and in brackets where the true one is. */
export function between({ middle, low, high }: Interval, unit: Unit): string {
  return `${amount(middle, unit)} (${amount(low, unit)} to ${amount(high, unit)})`;
}

export function goalText({ atMost, atLeast, compared, than = "base", orFloor }: Goal, unit: Unit): string {
  const bound = atMost ?? atLeast ?? Number.NaN;
  const side = atMost === undefined ? "at least" : "at most";
  if (compared === "times") return `${side} ${bound} × the ${than}`;
  return `${side} ${amount(bound, unit)}${compared ? ` over the ${than}` : ""}${orFloor ? ", or the floor" : ""}`;
}

/** Met or missed; and of what nobody can reach, how far the floor is from it, and we from the floor. */
export function verdictText({ met, near, outOfReach }: Verdict, { compared }: Goal, unit: Unit): string {
  const word = met ? "met" : "missed";
  if (!outOfReach) return `${word}${near ? ", within the noise" : ""}`;
  const { floor, ours } = outOfReach;
  const how = outOfReach.near ? "perhaps out of reach" : "out of reach";
  if (compared === "more")
    return `${word}: ${how}, the floor is ${amount(floor, unit)} (ours is ${amount(ours, unit)} over it)`;
  const shown = compared === "times" ? floor.toFixed(2) : amount(floor, unit);
  return `${word}: ${how}, the floor is ${shown} (ours is ${ours.toFixed(2)} ${ours < 1 ? "of" : "times"} it)`;
}
