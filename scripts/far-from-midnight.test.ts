import { expect, test } from "vitest";
import { farFromMidnight } from "./far-from-midnight.mjs";

test.each(Array.from({ length: 24 }, (_, hour) => hour))(
  "at %i o'clock in London a test sees noon",
  (hour) => {
    const now = new Date(Date.UTC(2026, 0, 15, hour, 59));
    const { TZ } = farFromMidnight(now);
    expect(now.toLocaleTimeString("en-GB", { timeZone: TZ })).toBe("12:59:00");
  },
);

test("the tests, and what they start, run at noon", () => {
  expect([11, 12, 13]).toContain(new Date().getHours());
});
