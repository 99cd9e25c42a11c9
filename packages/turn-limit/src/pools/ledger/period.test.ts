import fc from "fast-check";
import { expect, test } from "vitest";
import { InvalidLimit } from "../../core/errors/invalid-limit.ts";
import { type Period, periodAt, requireZone } from "./period.ts";

const HOUR = 3_600_000;
const at = (iso: string) => Date.parse(iso);

/** From when until when it is, as a person can read it. */
function span(moment: string, period: Period, zone: string): [name: string, from: string, to: string] {
  const { name, from, to } = periodAt(at(moment), period, zone);
  return [name, new Date(from).toISOString(), new Date(to).toISOString()];
}

test("a day begins at midnight of its own zone", () => {
  expect(span("2030-05-05T12:00:00Z", "day", "Asia/Kathmandu")).toEqual([
    "2030-05-05",
    "2030-05-04T18:15:00.000Z",
    "2030-05-05T18:15:00.000Z",
  ]);
});

test("midnight belongs to the day that begins", () => {
  const before = periodAt(at("2030-01-01T22:59:59.999Z"), "day", "Europe/Berlin");
  const after = periodAt(at("2030-01-01T23:00:00Z"), "day", "Europe/Berlin");
  expect([before.name, after.name]).toEqual(["2030-01-01", "2030-01-02"]);
  expect(before.to).toBe(after.from);
});

test("a day on which clocks change has 23 or 25 hours", () => {
  const hours = (moment: string) => {
    const { from, to } = periodAt(at(moment), "day", "Europe/Berlin");
    return (to - from) / HOUR;
  };
  expect([hours("2026-03-29T12:00:00Z"), hours("2026-10-25T12:00:00Z")]).toEqual([23, 25]);
});

test("where the clocks go from midnight to 1 o'clock, the day begins at 1", () => {
  // In Chile, clocks went forward at the beginning of the 8th of September 2024.
  expect(span("2024-09-08T12:00:00Z", "day", "America/Santiago")).toEqual([
    "2024-09-08",
    "2024-09-08T04:00:00.000Z",
    "2024-09-09T03:00:00.000Z",
  ]);
  // They went back at the end of the 6th of April, and the hour before midnight came twice.
  expect(span("2024-04-07T03:30:00Z", "day", "America/Santiago")).toEqual([
    "2024-04-06",
    "2024-04-06T03:00:00.000Z",
    "2024-04-07T04:00:00.000Z",
  ]);
});

test("a day that a zone left out is in no period", () => {
  // Samoa went over the date line: it had no 30th of December 2011.
  const before = periodAt(at("2011-12-30T09:59:59.999Z"), "day", "Pacific/Apia");
  const after = periodAt(at("2011-12-30T10:00:00Z"), "day", "Pacific/Apia");
  expect([before.name, after.name]).toEqual(["2011-12-29", "2011-12-31"]);
  expect(before.to).toBe(after.from);
});

test("a week begins on Monday", () => {
  expect(span("2030-05-05T21:59:59Z", "week", "Europe/Berlin")).toEqual([
    "week-2030-04-29",
    "2030-04-28T22:00:00.000Z",
    "2030-05-05T22:00:00.000Z",
  ]);
  expect(span("2030-05-05T22:00:00Z", "week", "Europe/Berlin")[0]).toBe("week-2030-05-06");
});

test("a month ends with its last day, also in a leap year", () => {
  expect(span("2028-02-29T23:59:59Z", "month", "UTC")).toEqual([
    "2028-02",
    "2028-02-01T00:00:00.000Z",
    "2028-03-01T00:00:00.000Z",
  ]);
  expect(span("2030-12-31T12:00:00Z", "month", "UTC")[2]).toBe("2031-01-01T00:00:00.000Z");
});

test("periods follow each other without a gap, and each has a name of its own", () => {
  const zones = [
    "UTC",
    "Europe/Berlin",
    "America/Santiago",
    "Pacific/Apia",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
  ];
  const moment = fc.integer({ min: Date.UTC(2005, 0), max: Date.UTC(2045, 0) });
  const near = fc.constantFrom(at("2024-09-08T04:00Z"), at("2011-12-30T10:00Z"), at("2026-03-29T01:00Z"));
  const nearOne = fc.tuple(near, fc.integer({ min: -72, max: 72 })).map(([time, h]) => time + h * HOUR);
  const property = fc.property(
    fc.oneof(moment, nearOne),
    fc.constantFrom<Period[]>("day", "week", "month"),
    fc.constantFrom(...zones),
    (now, period, zone) => {
      const current = periodAt(now, period, zone);
      expect(current.from).toBeLessThanOrEqual(now);
      expect(current.to).toBeGreaterThan(now);
      expect(periodAt(current.from, period, zone)).toEqual(current);
      expect(periodAt(current.to - 1, period, zone)).toEqual(current);
      const next = periodAt(current.to, period, zone);
      expect(next.from).toBe(current.to);
      expect(next.name).not.toBe(current.name);
    },
  );
  fc.assert(property, { numRuns: 80, seed: 20_260 });
});

test("a zone that does not exist is refused, by its name", () => {
  expect(requireZone("Europe/Berlin", "zone")).toBe("Europe/Berlin");
  for (const zone of ["Mars/Base", "", 5, undefined])
    expect(() => requireZone(zone, "pool.zone")).toThrow(InvalidLimit);
  expect(() => requireZone("Mars/Base", "pool.zone")).toThrow(/pool\.zone must be .*"Mars\/Base"/);
});
