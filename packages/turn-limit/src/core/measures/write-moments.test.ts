import { expect, test } from "vitest";
import { momentText } from "./write-moments.ts";

const noon = new Date(2026, 10, 19, 12).getTime();

test.each([
  [new Date(2026, 10, 19, 14, 5), "14:05"],
  [new Date(2026, 10, 20, 0, 0), "00:00"],
  [new Date(2026, 10, 23, 9, 30), "Mon 23 Nov, 09:30"],
])("a moment is written so that one knows which day it is: %s", (moment, text) => {
  expect(momentText(moment.getTime(), noon)).toBe(text);
});
