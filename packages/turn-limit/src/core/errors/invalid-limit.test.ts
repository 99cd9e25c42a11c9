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
