import { expect, test } from "vitest";
import { type Activity, countedFor } from "./counting.ts";

test.each<[Activity, string]>([
  ["turn", "turns requests tokens cost time"],
  ["retry", "requests tokens cost time"],
  ["aside", "requests tokens cost time"],
  ["compaction", "tokens cost"],
  ["nested", "tokens cost"],
  ["synthesis", "turns requests tokens cost time"],
  ["call", "steps calls"],
  ["refusal", ""],
  ["waiting", ""],
])("a %s counts for: %s", (activity, measures) => {
  const counted = Object.entries(countedFor(activity)).filter(([, counts]) => counts);
  expect(counted.map(([measure]) => measure).join(" ")).toBe(measures);
});
