import { expect, test } from "vitest";
import { knownAmounts } from "./pool-view.ts";

const used = { turns: 2, steps: 0, cost: 0 };

test("what a run used nothing of and does not limit is not known: its model may have no price", () => {
  expect(knownAmounts({ limits: [], used })).toEqual({ turns: 2, steps: null, cost: null });
});

test("what it limits is known, also where it used nothing yet", () => {
  const limits = [{ limit: "cost", identity: { kind: "cost" as const }, used: 0, max: 5 }];
  expect(knownAmounts({ limits, used })).toEqual({ turns: 2, steps: null, cost: 0 });
});
