import { expect, test } from "vitest";
import { withoutEffect } from "./problems.ts";
import { completed } from "./settings.ts";

test.each([
  [
    { turns: { max: 5, grace: 5 } },
    "The turn grace of 5 has no effect with a turn limit of 5. Use less than the limit.",
  ],
  [{ turns: { max: "unlimited", grace: 3 } }, "The turn grace of 3 has no effect: there is no turn limit."],
  [
    { turns: { grace: 25 } },
    "The turn grace of 25 has no effect with a turn limit of 25. Use less than the limit.",
  ],
  [{ tokens: { reserve: 1_000 } }, "The token reserve of 1k has no effect: there is no token limit."],
  [
    { cost: { max: 1, reserve: 1.5 } },
    "The cost reserve of $1.50 has no effect with a cost limit of $1.00. Use less than the limit.",
  ],
])("%j: %s", (settings, told) => {
  expect(withoutEffect(completed(settings))).toEqual([told]);
});

test("what has an effect, or is not set, is not told", () => {
  expect(withoutEffect(completed({}))).toEqual([]);
  expect(withoutEffect(completed({ turns: { max: 5, grace: 4 }, cost: { max: 1, reserve: 0.5 } }))).toEqual(
    [],
  );
});
