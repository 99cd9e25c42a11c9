import { expect, test } from "vitest";
import { named } from "../../../test/helpers/named.ts";
import { tokenLimit } from "../limits/kinds.ts";
import { Meter } from "../meter/meter.ts";
import { Budget } from "./budget.ts";

const synthesizes = () => "synthesize" as const;

test("what is kept back counts as used for an early boundary, and is not reported", () => {
  const { budget, use } = withReserve(1);
  use(1);
  expect([budget.isShort, budget.turnBoundary("turn", synthesizes)]).toEqual([false, undefined]);
  use(1);
  expect([budget.isShort, budget.isUsedUp]).toEqual([true, false]);
  expect(budget.turnBoundary("turn", synthesizes)).toEqual({ ...named("tokens"), used: 2, max: 3 });
  expect(budget.turnBoundary("turn", () => "ask")).toBeUndefined();
});

test("a reserve of as much as there is, or more, is none", () => {
  for (const reserve of [3, 4]) expect(withReserve(reserve).budget.isShort).toBe(false);
});

test("what a person grants holds for one round, and the reserve is kept back of it", () => {
  const { budget, meter, use } = withReserve(1);
  budget.grant(9);
  use(7);
  expect([budget.max, budget.isShort]).toEqual([9, false]);
  use(1);
  expect(budget.isShort).toBe(true);
  budget.restart(meter.read());
  expect([budget.max, budget.isShort, budget.standings]).toEqual([
    3,
    false,
    [{ ...named("tokens"), used: 0, max: 3 }],
  ]);
});

function withReserve(reserve: number) {
  const meter = new Meter();
  const budget = new Budget(tokenLimit({ max: 3, reserve }), meter, meter.read());
  return { budget, meter, use: (input: number) => meter.answer("turn", { input, output: 0 }) };
}
