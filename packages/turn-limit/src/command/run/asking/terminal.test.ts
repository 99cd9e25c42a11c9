import { expect, test } from "vitest";
import { isForeground } from "./terminal.ts";

test.each([
  ["12 (node) S 1 12 10 34816 12 4194304", true],
  ["12 (a) b (c) S 1 12 10 34816 12 4194304", true],
  ["12 (node) S 1 12 10 34816 10 4194304", false],
  ["12 (node) S 1 12 12 0 -1 4194304", false],
])("in %j the process has the terminal: %j", (stat, has) => {
  expect(isForeground(stat)).toBe(has);
});
