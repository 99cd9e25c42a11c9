import { expect, test, vi } from "vitest";
import { isLimitExceeded, isStepLimitExceeded, LimitExceeded, StepLimitExceeded } from "./limit-exceeded.ts";

test("it says which limit, and carries the numbers", () => {
  const error = new LimitExceeded("tokens", 120, 100);
  expect(error).toMatchObject({ name: "LimitExceeded", limit: "tokens", used: 120, max: 100 });
  expect(error.message).toBe("The limit of tokens is used up (120/100)");
});

test("a step limit's is one, too, with a text of its own", () => {
  const error = new StepLimitExceeded(20);
  expect(error).toBeInstanceOf(LimitExceeded);
  expect(error).toMatchObject({ name: "StepLimitExceeded", limit: "steps", used: 20, max: 20 });
  expect(error.message).toBe("Step limit exceeded (20)");
  expect([isLimitExceeded(error), isStepLimitExceeded(error)]).toEqual([true, true]);
  expect(isStepLimitExceeded(new LimitExceeded("tokens", 1, 1))).toBe(false);
});

test("they are recognised when another copy of the package threw them", async () => {
  vi.resetModules();
  const copy = await import("./limit-exceeded.ts");
  const error = new copy.StepLimitExceeded(3);
  expect(error).not.toBeInstanceOf(LimitExceeded);
  expect([isLimitExceeded(error), isStepLimitExceeded(error)]).toEqual([true, true]);
});

test("nothing else is taken for them", () => {
  for (const other of [new Error("no"), { name: "LimitExceeded" }, "LimitExceeded", null, undefined])
    expect([isLimitExceeded(other), isStepLimitExceeded(other)]).toEqual([false, false]);
});
