import { expect, test } from "vitest";
import { limitCalled, named } from "../../test/helpers/named.ts";
import { titleOf } from "../limits/pi-limit.ts";
import { reachedText, remedyText, standingText, usedText } from "./limit-words.ts";

test.each([
  ["turns", 12, "12"],
  ["turns", 1_000, "1000"],
  ["tokens", 950, "950"],
  ["tokens", 182_345, "182.3k"],
  ["tokens", 200_000, "200k"],
  ["tokens", 1_500_000, "1.5m"],
  ["cost", 0.93, "$0.93"],
  ["cost", 5, "$5.00"],
  ["time", 0, "0s"],
  ["time", 999, "0s"],
  ["time", 45_000, "45s"],
  ["time", 372_000, "6m 12s"],
  ["time", 600_000, "10m"],
  ["time", 3_900_000, "1h 5m"],
  ["time", 3_605_000, "1h"],
  ["tools.bash", 30, "30"],
] as const)("%s of %s read as %s", (limit, used, text) => {
  expect(usedText({ ...named(limit), used, max: "unlimited" })).toBe(text);
});

test.each([
  ["turns", "unlimited", "0/∞"],
  ["tokens", 1_250_000, "0/1.25m"],
  ["tokens", 200_000, "0/200k"],
  ["cost", 5, "$0.00/$5.00"],
  ["cost", 0.015, "$0.00/$0.015"],
  ["time", 5_400_000, "0s/1h30m"],
] as const)("a limit of %s %s reads as %s, exactly", (limit, max, text) => {
  expect(standingText({ ...named(limit), used: 0, max })).toBe(text);
});

test("what is used does not read as all of it before it is", () => {
  expect(usedText({ ...named("tokens"), used: 199_960, max: 200_000 })).toBe("199.96k");
  expect(usedText({ ...named("cost"), used: 0.996, max: 1 })).toBe("$0.996");
  expect(usedText({ ...named("cost"), used: 0.29, max: 1 })).toBe("$0.29");
});

test("a cost that is not all known does not read as if it were", () => {
  expect(usedText({ ...named("cost"), used: 0, max: 5, unpriced: true })).toBe("?");
  expect(usedText({ ...named("cost"), used: 0.93, max: 5, unpriced: true })).toBe("≥$0.93");
  expect(usedText({ ...named("cost"), used: 0.93, max: 5 })).toBe("$0.93");
});

test("a limit is called by what it counts, a tool's by the tool, and one of another version by its name", () => {
  const titles = ["turns", "tokens", "repeats", "tools.mcp.tool", "naps"].map((limit) =>
    titleOf(limitCalled(limit)),
  );
  expect(titles).toEqual(["turn limit", "token limit", "repeat limit", "limit for mcp.tool", "naps limit"]);
});

test.each([
  [{ ...named("tokens"), used: 201_345, max: 200_000 }, "Token limit reached (201.3k/200k)."],
  [{ ...named("tools.bash"), used: 5, max: 5 }, "Limit for bash reached (5/5)."],
  [{ ...named("repeats"), used: 3, max: 3 }, "Repeat limit reached (the same result, 3 times in a row)."],
  [{ ...named("repeats"), used: 1, max: 1 }, "Repeat limit reached (the same result, again)."],
  [
    { ...named("cost"), used: 0, max: 5, unpriced: true },
    "The model has no price, so the cost limit cannot hold the run.",
  ],
] as const)("%j reads as %j", (boundary, text) => {
  expect(reachedText(boundary)).toBe(text);
});

test.each([
  ["turns", 'To allow more, use --max-turns, PI_MAX_TURNS or "turns" in turn-limit.json.'],
  ["repeats", 'To allow more, use "repeats" in turn-limit.json.'],
  ["tools.bash", 'To allow more, use "tools" in turn-limit.json.'],
])("who wants more than the limit of %s is told where to say so", (limit, text) => {
  expect(remedyText({ ...named(limit), used: 1, max: 1 })).toBe(text);
});
