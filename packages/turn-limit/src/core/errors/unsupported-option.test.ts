import { expect, test, vi } from "vitest";
import { isUnsupportedOption, UnsupportedOption } from "./unsupported-option.ts";

test("it says which adapter cannot do what, and why", () => {
  const error = new UnsupportedOption("turn-limit/ai-sdk", "ask", "it has no way to wait.");
  expect(error).toMatchObject({ name: "UnsupportedOption", adapter: "turn-limit/ai-sdk", option: "ask" });
  expect(error.message).toBe('turn-limit/ai-sdk cannot do "ask": it has no way to wait.');
});

test("it is recognised when another copy of the package threw it, and nothing else is", async () => {
  vi.resetModules();
  const copy = await import("./unsupported-option.ts");
  expect(isUnsupportedOption(new copy.UnsupportedOption("a", "b", "c"))).toBe(true);
  for (const other of [new TypeError("no"), { option: "ask" }, null])
    expect(isUnsupportedOption(other)).toBe(false);
});
