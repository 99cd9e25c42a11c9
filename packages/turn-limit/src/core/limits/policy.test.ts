import { expect, test } from "vitest";
import { whyRefused } from "../../../test/helpers/runs.ts";
import { type Action, actionOf, endsRun, isStricter, policyChecks } from "./policy.ts";

test("of several limits that are reached, the one that leaves the run least decides", () => {
  const order: Action[] = ["refuse", "ask", "synthesize", "decline", "stop"];
  for (const [index, action] of order.entries())
    expect(order.filter((other) => isStricter(action, other))).toEqual(order.slice(0, index));
});

test("to stop and to raise are equally strict, so the first of them decides", () => {
  expect([isStricter("stop", "raise"), isStricter("raise", "stop")]).toEqual([false, false]);
});

test("a run that is asked about, or has a call refused, does not end", () => {
  const actions: Action[] = ["ask", "refuse", "stop", "raise", "synthesize", "decline"];
  expect(actions.filter(endsRun)).toEqual(["stop", "raise", "synthesize", "decline"]);
});

test("only where a person would be asked, and there is none, the headless policy is used", () => {
  expect(actionOf({ onExhausted: "ask", headless: "synthesize" }, true)).toBe("ask");
  expect(actionOf({ onExhausted: "ask", headless: "synthesize" }, false)).toBe("synthesize");
  expect(actionOf({ onExhausted: "stop", headless: "synthesize" }, false)).toBe("stop");
});

test("calls can be refused, turns cannot, and nobody is asked where there is nobody", () => {
  const allowed = (before: "turn" | "step") => {
    const { onExhausted, headless } = policyChecks(before);
    return [onExhausted, headless].map((check) => whyRefused(() => check("explode", "x")).allowed);
  };
  expect(allowed("turn")).toEqual([
    '"ask", "stop", "raise" or "synthesize"',
    '"stop", "raise" or "synthesize"',
  ]);
  expect(allowed("step")).toEqual([
    '"ask", "stop", "raise", "synthesize" or "refuse"',
    '"stop", "raise", "synthesize" or "refuse"',
  ]);
});
