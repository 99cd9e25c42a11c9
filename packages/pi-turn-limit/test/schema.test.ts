import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { readFileClaims } from "../src/config/file-claims.ts";

const schema = JSON.parse(readFileSync(new URL("../turn-limit.schema.json", import.meta.url), "utf8"));
const isValid = new Ajv().compile(schema);

function isAccepted(values: Record<string, unknown>): boolean {
  return readFileClaims({ path: "turn-limit.json", values, problems: [] }).problems.length === 0;
}

test.each([
  { turns: 0 },
  { turns: 25 },
  { turns: 9007199254740991 },
  { turns: "unlimited" },
  { turns: { max: 5 } },
  { turns: { max: "unlimited" } },
  { turns: { grace: 3 } },
  { turns: { max: 25, grace: 3, headless: "synthesize", message: "Finish." } },
  { steps: 1 },
  { steps: "unlimited" },
  { steps: { max: 40 } },
  { steps: { max: 40, onExhausted: "synthesize" } },
  { $schema: "x", turns: 25, steps: 40 },
])("an editor and the extension both accept %j", (values) => {
  expect(isValid(values)).toBe(true);
  expect(isAccepted(values)).toBe(true);
});

test.each([
  ...[-1, 1.5, 1e20, "25", "abc", "", null, true, [5], {}, { max: -1 }, { max: 5, mx: 6 }].map((turns) => ({
    turns,
  })),
  ...[{ grace: -1 }, { grace: 1.5 }, { headless: "shout" }, { message: "" }, { message: 5 }].map((turns) => ({
    turns,
  })),
  ...[0, -1, 1.5, "40", null, {}, { max: 0 }, { onExhausted: "raise" }, { max: 5, onExhausted: "x" }].map(
    (steps) => ({
      steps,
    }),
  ),
])("an editor and the extension both refuse %j", (values) => {
  expect(isValid(values)).toBe(false);
  expect(isAccepted(values)).toBe(false);
});

test("an editor refuses a misspelt setting", () => {
  expect(isValid({ turn: 5 })).toBe(false);
  expect(isValid({ projectMayRaise: true })).toBe(true);
});
