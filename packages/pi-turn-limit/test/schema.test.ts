import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { turns } from "../src/config/turns.ts";

const schema = JSON.parse(readFileSync(new URL("../turn-limit.schema.json", import.meta.url), "utf8"));
const isValid = new Ajv().compile(schema);

test.each([0, 25, 9007199254740991, "unlimited", { max: 5 }, { max: "unlimited" }])(
  "an editor and the extension both accept the turn limit %j",
  (value) => {
    expect(isValid({ turns: value })).toBe(true);
    expect(turns.parseJson(value)).toBeDefined();
  },
);

test.each([-1, 1.5, 1e20, "25", "abc", "", null, true, [5], {}, { max: -1 }, { max: 5, mx: 6 }])(
  "an editor and the extension both refuse the turn limit %j",
  (value) => {
    expect(isValid({ turns: value })).toBe(false);
    expect(turns.parseJson(value)).toBeUndefined();
  },
);

test("an editor refuses a misspelt setting", () => {
  expect(isValid({ turn: 5 })).toBe(false);
  expect(isValid({ $schema: "x", turns: 5, projectMayRaise: true })).toBe(true);
});
