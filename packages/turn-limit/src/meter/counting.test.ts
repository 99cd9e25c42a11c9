import { expect, test } from "vitest";
import { type Activity, countedFor } from "./counting.ts";

test.each<[Activity, string]>([
  ["turn", "turns tokens cost time"],
  ["retry", "tokens cost time"],
  ["compaction", "tokens cost"],
  ["nested", "tokens cost"],
  ["synthesis", "turns tokens cost time"],
  ["call", "steps calls"],
  ["refusal", ""],
  ["waiting", ""],
])("a %s counts for: %s", (activity, measures) => {
  const counted = Object.entries(countedFor(activity)).filter(([, counts]) => counts);
  expect(counted.map(([measure]) => measure).join(" ")).toBe(measures);
});
