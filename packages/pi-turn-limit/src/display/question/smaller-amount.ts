import { type Amount, DOLLARS, DURATION } from "../../core.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const TIMES = [
  ...[1, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12, 24].map((hours) => hours * HOUR),
];
const CENT = 0.01;

/** About a quarter of an amount, as a number that reads well: $5 of $20, 30m of 2h. Nothing if that would be too little. */
export function smallerAmount(amount: Amount, whole: number): number | undefined {
  const quarter = whole / 4;
  if (amount === DURATION) return TIMES.findLast((time) => time <= quarter);
  const least = amount === DOLLARS ? CENT : 1;
  // A little more, for what binary fractions are off by.
  const power = 10 ** Math.floor(Math.log10(quarter * (1 + Number.EPSILON)));
  const readable = [5, 2.5, 2, 1].map((step) => Number((step * power).toPrecision(2)));
  const isWritten = (value: number) => Number.isInteger(Number((value / least).toPrecision(12)));
  const found = readable.find((value) => value <= quarter && isWritten(value));
  return found !== undefined && found >= least ? found : undefined;
}
