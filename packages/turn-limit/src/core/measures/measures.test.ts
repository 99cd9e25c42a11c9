import { expect, test } from "vitest";
import { type Activity, countedFor, MEASURES, type Measure } from "./measures.ts";

test.each<[Activity, string]>([
  ["turn", "turns requests tokens cost time percent"],
  ["retry", "requests tokens cost time percent"],
  ["aside", "requests tokens cost time percent"],
  ["compaction", "tokens cost"],
  ["nested", "tokens cost"],
  ["synthesis", "turns requests tokens cost time percent"],
  ["call", "steps calls"],
  ["refusal", ""],
  ["waiting", ""],
])("a %s counts for: %s", (activity, measures) => {
  const counted = (Object.keys(MEASURES) as Measure[]).filter((measure) => countedFor(activity)[measure]);
  expect(counted.join(" ")).toBe(measures);
});
