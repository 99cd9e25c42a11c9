import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { codeBlocks } from "../../../scripts/markdown/code-blocks.mjs";
import { isFamily } from "../src/limits/pi-limit.ts";
import { limitTable } from "../src/limits/pi-limits.ts";
import { DEFAULT, HELP } from "../src/settings/format-limit.ts";
import { parseLimit } from "../src/settings/limit-text.ts";
import { memberIn } from "../src/settings/member-text.ts";
import { settingsIn } from "../src/settings/settings-file.ts";

const folder = join(import.meta.dirname, "..");
const pages = [
  "../../README.md",
  "README.md",
  ...readdirSync(join(folder, "docs")).map((name) => `docs/${name}`),
].map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));

/** What is typed in Pi: in one line of code, a block, or beside another command after a wide gap. */
const commands = pages.flatMap(({ path, text }) =>
  [...text.matchAll(/\/([a-z]+-limit) ([^`\n]*?)(?= {2,}|`|\n)/g)].map(([, command = "", words = ""]) => ({
    path,
    command,
    words,
  })),
);

test("commands are found", () => expect(commands.length).toBeGreaterThan(30));

test.each(commands)("$path: /$command $words", ({ command, words }) => {
  const row = limitTable.find((row) => row.command === command);
  // What the statistics recommend ends with the sentence.
  const text = words.replace(/\.$/, "");
  if (!row) throw new Error(`There is no command /${command}`);
  const { limit, said } = isFamily(row) ? memberIn(row, text) : { limit: row, said: text };
  // The name of a tool alone shows its limit.
  const shows = isFamily(row) ? [""] : [];
  if (![DEFAULT, HELP, ...shows].includes(said)) expect(parseLimit(limit, said)).toBeDefined();
});

const settings = pages.flatMap(({ path, text }) =>
  codeBlocks(text)
    .filter(({ language }) => language === "json")
    .map(({ line, code }) => ({ place: `${path}:${line}`, values: JSON.parse(code) }))
    // The outcome of a run is JSON, too.
    .filter(({ values }) => !("outcome" in values)),
);

test.each(settings)("the settings at $place are accepted by an editor and by the extension", ({ values }) => {
  const isValid = new Ajv().compile(JSON.parse(readFileSync(join(folder, "turn-limit.schema.json"), "utf8")));
  expect(isValid(values)).toBe(true);
  expect(settingsIn({ values }).problems).toEqual([]);
});

test("settings are found", () => expect(settings.length).toBeGreaterThanOrEqual(3));
