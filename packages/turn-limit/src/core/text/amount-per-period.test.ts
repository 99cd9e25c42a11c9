import { expect, test } from "vitest";
import { amountsIn, saidAmount } from "./amount-per-period.ts";

test.each([
  ["$5", "$5", undefined, []],
  [" 2M  PER Day ", "2m", "day", []],
  ["$20 per day stop", "$20", "day", ["stop"]],
  ["25 grace 3", "25", undefined, ["grace", "3"]],
  ["5 per", "5", "", []],
  ["", "", undefined, []],
])("%j is %j per %j, followed by %j", (text, amount, per, following) => {
  expect(saidAmount(text)).toEqual({ amount, per, following });
});

test.each([
  ["$2, $20 per day", ["$2", "$20 per day"]],
  ["$2,$20 per day", ["$2", "$20 per day"]],
  ["1,000 per day", ["1,000 per day"]],
  ["25,", ["25", ""]],
])("in %j there are %j", (text, amounts) => {
  expect(amountsIn(text)).toEqual(amounts);
});
