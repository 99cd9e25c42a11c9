import { expect, test } from "vitest";
import { named } from "../../test/helpers/named.ts";
import { choicesOf } from "./choices.ts";

const labels = (name: string, max: number, why?: string) =>
  choicesOf({ kind: "ask", id: 1, ...named(name), used: max, max, ...(why !== undefined && { why }) }).map(
    ({ label }) => label,
  );

test.each([
  ["turns", 25, "Yes, 5 more turns"],
  ["turns", 3, "Yes, 1 more turn"],
  ["requests", 200, "Yes, 20 more requests"],
  ["cost", 5, "Yes, $1.00 more"],
  ["cost", 20, "Yes, $2.00 more"],
  ["cost", 0.1, "Yes, $0.02 more"],
  ["tokens", 2_000_000, "Yes, 200k more tokens"],
  ["time", 7_200_000, "Yes, 20m more"],
  ["tools.bash", 10, "Yes, 2 more calls of bash"],
])("a smaller amount of %s %d is a round number", (name, max, less) => {
  expect(labels(name, max)).toEqual([expect.stringMatching(/^Yes, another /), less, "No"]);
});

test("where there is no smaller amount, there are two buttons", () => {
  expect(labels("turns", 1)).toEqual(["Yes, another 1 turn", "No"]);
  expect(labels("cost", 0.01)).toHaveLength(2);
  expect(labels("freeze", 0, "It was frozen by hand.")).toEqual(["Yes", "No"]);
});

test("what a yes allows is not what was allowed the last time", () => {
  const ask = { kind: "ask", id: 1, ...named("turns"), used: 1, max: 1, round: 25 } as const;
  expect(choicesOf(ask).map(({ label }) => label)).toEqual([
    "Yes, another 25 turns",
    "Yes, 5 more turns",
    "No",
  ]);
});
