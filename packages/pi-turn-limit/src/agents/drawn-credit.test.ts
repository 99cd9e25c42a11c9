import { expect, test } from "vitest";
import { DrawnCredit } from "./drawn-credit.ts";

const reported = { input: 80, output: 20, cost: 0.03 };

test("what was drawn is not counted again when it is reported [ReportedIsNotCountedAgain]", () => {
  const credit = new DrawnCredit();
  credit.add({ tokens: 60, cost: 0.02 });
  credit.add({ tokens: 40, cost: 0.01 });
  expect(credit.beyond(reported, 100)).toEqual({ input: 0, output: 0, cost: 0 });
  expect(credit.beyond(reported, 100)).toEqual(reported);
});

test("what is reported beyond that counts [ReportedIsNotCountedAgain]", () => {
  const credit = new DrawnCredit();
  credit.add({ tokens: 60, cost: 0.01 });
  const { input, cost } = credit.beyond(reported, 100);
  expect(input).toBe(40);
  expect(cost).toBeCloseTo(0.02);
});

test("without agents, and after their calls, everything that is reported counts", () => {
  const credit = new DrawnCredit();
  expect(credit.beyond(reported, 100)).toBe(reported);
  credit.add({ tokens: 60, cost: 0.01 });
  credit.clear();
  expect(credit.beyond(reported, 100)).toBe(reported);
});
