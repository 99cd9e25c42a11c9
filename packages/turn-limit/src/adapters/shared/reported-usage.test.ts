import { expect, test } from "vitest";
import { reported, reportedUsage } from "./reported-usage.ts";

test("input tokens are those without the cache", () => {
  const report = { totalInput: 100, output: 20, cacheRead: 30, cacheWrite: 10 };
  expect(reportedUsage(report)).toEqual({ usage: { input: 60, output: 20, cacheRead: 30, cacheWrite: 10 } });
  expect(reportedUsage({ ...report, input: 50 })).toMatchObject({ usage: { input: 50 } });
});

test("where the provider does not count the cache as input, the input is what was reported", () => {
  const report = { totalInput: 5, output: 1, cacheRead: 30 };
  expect(reportedUsage(report)).toEqual({ usage: { input: 5, output: 1, cacheRead: 30 } });
  expect(reportedUsage({ ...report, totalInput: 30 })).toMatchObject({ usage: { input: 0 } });
});

test("who reports that an answer took nothing reports nothing", () => {
  expect(reportedUsage({ totalInput: 0, output: 0, cacheRead: 0 })).toEqual({});
  expect(reportedUsage({ totalInput: 0, output: 0, cacheRead: 5 })).toMatchObject({
    usage: { cacheRead: 5 },
  });
  expect(reported({ input: 0, output: 0, cost: 0.1 })).toEqual({ usage: { input: 0, output: 0, cost: 0.1 } });
});

test("a number that cannot be right counts as not reported", () => {
  expect(reportedUsage({ totalInput: Number.NaN, output: 20, cacheRead: -1 })).toEqual({
    usage: { input: 0, output: 20 },
  });
  expect(reportedUsage({ totalInput: -5, output: Number.POSITIVE_INFINITY })).toEqual({});
  expect(reportedUsage({ totalInput: undefined, output: undefined })).toEqual({});
});
