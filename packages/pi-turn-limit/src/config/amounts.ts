import { countOf } from "./grammar.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Reads `200000`, `200k` or `1.5m`, in any case, if it is a whole number of tokens. */
export function parseTokens(text: string): number | undefined {
  const [, whole, fraction = "", unit] = /^([0-9]+)(?:\.([0-9]+))?([km]?)$/i.exec(text.trim()) ?? [];
  if (whole === undefined || (fraction !== "" && unit === "")) return undefined;
  const places = { "": 0, k: 3, m: 6 }[unit?.toLowerCase() ?? ""] ?? 0;
  if (/[1-9]/.test(fraction.slice(places))) return undefined;
  // Moving the point in the text is exact; multiplying 1.005 by 1000 is not.
  return countOf(Number(whole + fraction.slice(0, places).padEnd(places, "0")));
}

/** Writes `200k`, `1.5m` or `182345`: a unit only where it is exact. */
export function formatTokens(tokens: number): string {
  if (tokens >= 1_000_000 && tokens % 10_000 === 0) return `${tokens / 1_000_000}m`;
  if (tokens >= 1_000 && tokens % 100 === 0) return `${tokens / 1_000}k`;
  return String(tokens);
}

/** Reads `5`, `$5` or `$0.50`. */
export function parseDollars(text: string): number | undefined {
  const [, digits] = /^\$?([0-9]+(?:\.[0-9]+)?)$/.exec(text.trim()) ?? [];
  return digits === undefined ? undefined : dollarsOf(Number(digits));
}

/** Returns `value` if it is a number of dollars from 0 on. */
export function dollarsOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Writes `$5` or `$0.50`, with as many decimals as it takes to be exact. */
export function formatDollars(dollars: number): string {
  return `$${withoutExponent(dollars).replace(/\.[0-9]$/, "$&0")}`;
}

/** Reads `90s`, `10m` or `1h30m15s`, in any case, as milliseconds. */
export function parseDuration(text: string): number | undefined {
  const falling = /^(?=[0-9])(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?$/i.exec(text.trim());
  if (!falling) return undefined;
  const [, hours = 0, minutes = 0, seconds = 0] = falling;
  return countOf(Number(hours) * HOUR + Number(minutes) * MINUTE + Number(seconds) * SECOND);
}

/** Writes milliseconds as `10m` or `1h30m`; a part of a second, which nobody can set, as `1.5s`. */
export function formatDuration(milliseconds: number): string {
  const units = [
    [Math.floor(milliseconds / HOUR), "h"],
    [Math.floor((milliseconds % HOUR) / MINUTE), "m"],
    [(milliseconds % MINUTE) / SECOND, "s"],
  ] as const;
  const text = units.map(([count, unit]) => (count === 0 ? "" : `${count}${unit}`)).join("");
  return text === "" ? "0s" : text;
}

function withoutExponent(value: number): string {
  const [digits = "", exponent] = String(value).split("e");
  if (exponent === undefined) return digits;
  if (Number(exponent) > 0) return String(BigInt(value));
  return `0.${"0".repeat(-Number(exponent) - 1)}${digits.replace(".", "")}`;
}
