import { oneOf } from "../../core/checks.ts";
import { InvalidLimit } from "../../core/errors/invalid-limit.ts";

/** A stretch of the calendar after which a pool starts over. A week begins on Monday. */
export type Period = "day" | "week" | "month";

export const requirePeriod = oneOf("day", "week", "month");

/** One day, week or month: its name, and from when until when it is. */
export interface PeriodSpan {
  name: string;
  from: number;
  to: number;
}

interface CalendarDay {
  year: number;
  month: number;
  day: number;
}

/** The time zone of the machine. */
export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Checks the name of a time zone. */
export function requireZone(zone: unknown, name: string): string {
  try {
    if (typeof zone === "string")
      return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    // Not a name that is known.
  }
  throw new InvalidLimit(name, zone, "the name of a time zone, such as Europe/Berlin");
}

/** The day, week or month in which a moment lies, by the calendar of a time zone. */
export function periodAt(now: number, period: Period, zone: string): PeriodSpan {
  const first = firstDay(dayAt(now, zone), period);
  const next = firstDay(plus(first, { day: 1, week: 7, month: 31 }[period]), period);
  return { name: nameOf(first, period), from: startOf(first, zone), to: startOf(next, zone) };
}

function firstDay(date: CalendarDay, period: Period): CalendarDay {
  if (period === "month") return { ...date, day: 1 };
  // Sunday is 0.
  const weekday = new Date(Date.UTC(date.year, date.month - 1, date.day)).getUTCDay();
  return period === "week" ? plus(date, -((weekday + 6) % 7)) : date;
}

function nameOf({ year, month, day }: CalendarDay, period: Period): string {
  const two = (number: number) => String(number).padStart(2, "0");
  if (period === "month") return `${year}-${two(month)}`;
  return `${period === "week" ? "week-" : ""}${year}-${two(month)}-${two(day)}`;
}

function plus({ year, month, day }: CalendarDay, days: number): CalendarDay {
  const date = new Date(Date.UTC(year, month - 1, day + days));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

const HOUR = 3_600_000;

// The first moment of a day. It is not always midnight: some zones change their clocks then.
function startOf(date: CalendarDay, zone: string): number {
  const utc = Date.UTC(date.year, date.month - 1, date.day);
  const isReached = (moment: number) => compare(dayAt(moment, zone), date) >= 0;
  let [before, after] = [utc - 16 * HOUR, utc + 16 * HOUR];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (isReached(middle)) after = middle;
    else before = middle;
  }
  return after;
}

function compare(one: CalendarDay, other: CalendarDay): number {
  return one.year - other.year || one.month - other.month || one.day - other.day;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function dayAt(moment: number, zone: string): CalendarDay {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-u-ca-gregory-nu-latn", {
      timeZone: zone,
      year: "numeric",
      month: "numeric",
      day: "numeric",
    });
    formats.set(zone, format);
  }
  const parts = Object.fromEntries(
    format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]),
  );
  return { year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0 };
}
