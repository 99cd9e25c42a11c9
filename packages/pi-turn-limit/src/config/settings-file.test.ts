import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readSettingsFile } from "./settings-file.ts";

const folder = mkdtempSync(join(tmpdir(), "turn-limit-settings-"));
afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string) {
  const path = join(folder, "turn-limit.json");
  writeFileSync(path, text);
  return readSettingsFile(path, ["turns"]);
}

test("a file that is not there is an empty one", () => {
  expect(readSettingsFile(join(folder, "none.json"), [])).toMatchObject({ values: {}, problems: [] });
  expect(readSettingsFile(join(folder, "turn-limit.json", "none.json"), [])).toMatchObject({ problems: [] });
});

test("the settings are what the file says, also behind a byte order mark", () => {
  expect(read('\uFEFF{ "$schema": "x", "turns": 5 }')).toMatchObject({ values: { turns: 5 }, problems: [] });
});

test("a file that is not JSON is named and ignored", () => {
  const { path, values, problems } = read("{ turns: 5 }");
  expect(values).toEqual({});
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(`${path} is not valid JSON`);
});

test.each(["[]", "5", "null", '"x"'])(
  "a file that holds %s instead of an object is named and ignored",
  (text) => {
    const { path, values, problems } = read(text);
    expect(values).toEqual({});
    expect(problems[0]).toContain(`${path} must hold a JSON object`);
  },
);

test("a misspelt setting is reported with those that exist, and the others count", () => {
  const { values, problems } = read('{ "turn": 5, "turns": 6 }');
  expect(values).toMatchObject({ turns: 6 });
  expect(problems).toEqual([
    expect.stringMatching(/^Unknown setting "turn" in .*\. Known settings: turns\.$/),
  ]);
});

test("a file that cannot be read is reported", () => {
  const path = join(folder, "a-folder");
  mkdirSync(path);
  expect(readSettingsFile(path, []).problems[0]).toContain(`Cannot read ${path}`);
});
