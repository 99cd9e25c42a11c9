import { expect, test } from "vitest";
import { isStepLimitExceeded, StepLimitExceeded } from "../errors/limit-exceeded.ts";
import { StepLimit } from "./step-limit.ts";

function ticks(limit: StepLimit, count: number): void {
  for (let step = 0; step < count; step += 1) limit.tick();
}

test("a limit of 3 admits exactly 3 steps and throws before the fourth", () => {
  const limit = new StepLimit(3);
  ticks(limit, 3);
  expect(limit.reached).toBe(true);
  expect(() => limit.tick()).toThrow(StepLimitExceeded);
});

test("the error carries the limit and says it", () => {
  const limit = new StepLimit(1);
  limit.tick();
  const error = (() => {
    try {
      limit.tick();
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(isStepLimitExceeded(error)).toBe(true);
  expect(error).toMatchObject({ name: "StepLimitExceeded", max: 1, message: "Step limit exceeded (1)" });
});

test("every step beyond the limit throws", () => {
  const limit = new StepLimit(1);
  limit.tick();
  expect(() => limit.tick()).toThrow(StepLimitExceeded);
  expect(() => limit.tick()).toThrow(StepLimitExceeded);
  expect(limit.step).toBe(3);
});

test("reset starts over", () => {
  const limit = new StepLimit(2);
  ticks(limit, 2);
  limit.reset();
  expect(limit.step).toBe(0);
  ticks(limit, 2);
  expect(() => limit.tick()).toThrow(StepLimitExceeded);
});

test("the policy for running out travels with the budget; the default is to raise", () => {
  expect(new StepLimit(20).onExhausted).toBe("raise");
  expect(new StepLimit(20, { onExhausted: "synthesize" }).onExhausted).toBe("synthesize");
  expect(new StepLimit({ max: 20, onExhausted: "synthesize" })).toMatchObject({
    max: 20,
    onExhausted: "synthesize",
  });
});

test("it prints as what it is", () => {
  expect(String(new StepLimit(20))).toBe("StepLimit(max=20)");
  expect(String(new StepLimit(20, { onExhausted: "synthesize" }))).toBe(
    "StepLimit(max=20, on_exhausted=synthesize)",
  );
});

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "5", null, undefined])(
  "a maximum of %s is refused with the value in the message",
  (max) => {
    expect(() => new StepLimit(max as number)).toThrow(
      `steps.max must be a whole number of 1 or more, not ${typeof max === "string" ? `"${max}"` : max}`,
    );
  },
);

test("an unknown policy is refused with the value in the message", () => {
  expect(() => new StepLimit(5, { onExhausted: "explode" as "raise" })).toThrow(
    'steps.onExhausted must be "raise" or "synthesize", not "explode"',
  );
});

test("an error from another copy of the package is recognised", () => {
  const foreign = Object.assign(new Error("x"), {
    [Symbol.for("turn-limit.StepLimitExceeded")]: true,
    max: 3,
  });
  expect(isStepLimitExceeded(foreign)).toBe(true);
  expect(isStepLimitExceeded(new Error("x"))).toBe(false);
  expect(isStepLimitExceeded(undefined)).toBe(false);
});

test("an option that does not exist is refused by its name", () => {
  const options = { onExhaust: "synthesize" } as object;
  expect(() => new StepLimit(5, options)).toThrow(/^steps\.onExhaust is not known here/);
  expect(() => new StepLimit({ max: 5, ...options })).toThrow(/^steps\.onExhaust is not known here/);
  expect(() => new StepLimit([5] as unknown as number)).toThrow(/^steps must be an object/);
});
