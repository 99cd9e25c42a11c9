import { expect, test } from "vitest";
import { byId, findRecord, newest, recordName } from "./record-names.ts";

test.each([
  ["research", "research", undefined],
  ["a@b", "a@b", undefined],
  ["a@b@2026-11-16", "a@b", { kind: "day", name: "2026-11-16" }],
  ["daily@week-2026-11-16", "daily", { kind: "week", name: "week-2026-11-16" }],
  ["daily@2026-11", "daily", { kind: "month", name: "2026-11" }],
  ["@2026-11", "@2026-11", undefined],
])("%s is a record of %s", (record, id, period) => {
  expect(recordName(record)).toEqual({ record, id, ...(period && { period }) });
});

const RECORDS = [
  "b@2026-11",
  "b@2026-11-16",
  "a@2026-11-16",
  "b@week-2026-11-16",
  "b@2026-12-01",
  "b@2025-12",
];

test("records are sorted by id, the newest first", () => {
  expect(byId(RECORDS).map(({ record }) => record)).toEqual([
    "a@2026-11-16",
    "b@2026-12-01",
    "b@2026-11-16",
    "b@week-2026-11-16",
    "b@2026-11",
    "b@2025-12",
  ]);
});

test("the newest of an id is kept for each kind of period", () => {
  expect(newest(byId(RECORDS)).map(({ record }) => record)).toEqual([
    "a@2026-11-16",
    "b@2026-12-01",
    "b@week-2026-11-16",
    "b@2026-11",
  ]);
});

test("a whole name is found before an id", () => {
  expect(findRecord("a", ["a@2026-11", "a"]).record).toBe("a");
  expect(findRecord("a", ["a@2026-10", "a@2026-11"]).record).toBe("a@2026-11");
});
