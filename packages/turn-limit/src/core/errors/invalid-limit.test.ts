import { expect, test, vi } from "vitest";
import { InvalidLimit, isInvalidLimit } from "./invalid-limit.ts";

test("it says what was refused and what is allowed", () => {
  expect(new InvalidLimit("turns.max", -1, "a whole number").message).toBe(
    "turns.max must be a whole number, not -1",
  );
});

test("a text is shown as a text", () => {
  expect(new InvalidLimit("turns.max", "5", "a whole number").message).toMatch(/, not "5"$/);
});

test.each<[unknown, string]>([
  [{}, "an object with nothing in it"],
  [Object.assign(Object.create(null), { token: "secret" }), "an object with token"],
  [new Map([[1, 2]]), "an object with nothing in it"],
  [[1, "2", { max: 3 }], '[1, "2", an object with max]'],
  [() => 5, "a function"],
  [null, "null"],
  [5n, "5"],
  ["x".repeat(1_000_000), `"${"x".repeat(60)}…"`],
  [new Array(1_000).fill(7), `[${"7, ".repeat(20).slice(0, 59)}…`],
])("value %# is shown in a few words, and an object without what is in it", (value, shown) => {
  expect(new InvalidLimit("turns.max", value, "a whole number").message).toBe(
    `turns.max must be a whole number, not ${shown}`,
  );
});

test("it carries the setting, the value and what is allowed", () => {
  expect(new InvalidLimit("turns.max", "abc", "a whole number")).toMatchObject({
    name: "InvalidLimit",
    setting: "turns.max",
    value: "abc",
    allowed: "a whole number",
  });
});

test("it is a TypeError", () => {
  expect(new InvalidLimit("turns.max", -1, "a whole number")).toBeInstanceOf(TypeError);
});

test("it is recognised when another copy of the package threw it", async () => {
  vi.resetModules();
  const copy = await import("./invalid-limit.ts");
  const error = new copy.InvalidLimit("turns.max", -1, "a whole number");

  expect(error).not.toBeInstanceOf(InvalidLimit);
  expect(isInvalidLimit(error)).toBe(true);
});

test("nothing else is taken for it", () => {
  for (const other of [new TypeError("no"), { name: "InvalidLimit" }, "InvalidLimit", null, undefined]) {
    expect(isInvalidLimit(other)).toBe(false);
  }
});
