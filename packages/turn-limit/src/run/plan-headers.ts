import type { IncomingHttpHeaders } from "node:http";
import type { WindowUse } from "./shared-budgets.ts";

/** What an answer tells of the windows of a subscription, by its headers. */
export function windowsIn(headers: IncomingHttpHeaders): WindowUse[] {
  const told: WindowUse[] = [];
  // Looked for in every answer, and in most there is none.
  for (const name in headers) if (name.startsWith(OF_ANTHROPIC)) told.push(...ofAnthropic(headers, name));
  for (const which of WINDOWS_OF_CODEX)
    if (headers[MINUTES_OF_CODEX[which]] !== undefined) told.push(...ofCodex(headers, which));
  return told;
}

const OF_ANTHROPIC = "anthropic-ratelimit-unified-";
const UNIFIED = /^anthropic-ratelimit-unified-([0-9]+[mhd])-utilization$/;
const WINDOWS_OF_CODEX = ["primary", "secondary"] as const;
const MINUTES_OF_CODEX = {
  primary: "x-codex-primary-window-minutes",
  secondary: "x-codex-secondary-window-minutes",
};

// Utilization is a share of 1, and the reset in seconds since 1970.
function ofAnthropic(headers: IncomingHttpHeaders, name: string): WindowUse[] {
  const window = UNIFIED.exec(name)?.[1];
  if (window === undefined) return [];
  const of = (what: string) => headers[`${OF_ANTHROPIC}${window}-${what}`];
  const isRejected = of("status") === "rejected";
  return use("anthropic", window, isRejected ? "1" : headers[name], 100, of("reset"));
}

const MINUTES_OF = { h: 60, d: 1_440 } as const;

// Used is in per cent, and the reset in seconds since 1970.
function ofCodex(headers: IncomingHttpHeaders, which: keyof typeof MINUTES_OF_CODEX): WindowUse[] {
  const of = (what: string) => headers[`x-codex-${which}-${what}`];
  const minutes = numberIn(headers[MINUTES_OF_CODEX[which]]);
  if (minutes === undefined || minutes <= 0) return [];
  return use("openai", windowOf(minutes), of("used-percent"), 1, of("reset-at"));
}

/** The length of a window as it is typed. A minute more or less is no other window. */
function windowOf(minutes: number): string {
  for (const unit of ["d", "h"] as const) {
    const count = Math.round(minutes / MINUTES_OF[unit]);
    if (count > 0 && Math.abs(minutes - count * MINUTES_OF[unit]) <= 1) return `${count}${unit}`;
  }
  return `${Math.round(minutes)}m`;
}

type Value = string | string[] | undefined;

/** What is later is in another unit, or no time. In seconds since 1970: more than a thousand years from now. */
const LATEST_RESET = 1e11;

function use(subscription: string, window: string, used: Value, scale: number, reset: Value): WindowUse[] {
  const [share, seconds] = [numberIn(used), numberIn(reset)];
  if (share === undefined || seconds === undefined || seconds > LATEST_RESET) return [];
  return [{ subscription, window, used: Number((share * scale).toFixed(2)), resets: seconds * 1_000 }];
}

function numberIn(value: Value): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}
