import { expect, test } from "vitest";
import { PromptsSeen } from "./prompts-seen.ts";

test("a hundred thousand prompts are each new once", () => {
  const seen = new PromptsSeen();
  const ids = Array.from({ length: 100_000 }, (_, index) => (index * 40_503).toString(16).padStart(8, "0"));
  expect(ids.filter((id) => seen.add(id, 1_794_719_851_274))).toHaveLength(ids.length);
  expect(ids.filter((id) => seen.add(id, 1_794_719_851_274))).toEqual([]);
  expect(ids.filter((id) => seen.add(id, 1_794_719_851_275))).toHaveLength(ids.length);
});
