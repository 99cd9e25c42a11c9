import { expect, test } from "vitest";
import { entrySettings } from "./set-by-commands.ts";
import { completed, entriesOf, settingsFrom } from "./settings.ts";
import { settingsIn } from "./settings-file.ts";

function nested(depth: number): unknown {
  return JSON.parse(`${'{"max":'.repeat(depth)}1${"}".repeat(depth)}`);
}

test("a value that is nested as deeply as JSON allows is refused like any other, and the rest counts", () => {
  const values = { turns: nested(5_000), steps: 4 };
  const { settings, problems } = settingsIn({ values });
  expect(settings).toEqual({ steps: { max: 4 } });
  expect(problems).toEqual([expect.stringMatching(/^"turns\.max": Invalid turn limit\./)]);
  expect(entrySettings({ turns: nested(5_000), steps: { max: 4 } })).toEqual({ steps: { max: 4 } });
});

test("a long value is not shown in full", () => {
  const { problems } = settingsIn({ values: { turns: "x".repeat(10_000) } });
  expect(problems[0]?.length).toBeLessThan(500);
});

test("thousands of tools are merged in one pass, whatever they are called", () => {
  const names = [...Array.from({ length: 5_000 }, (_, index) => `tool ${index}`), "__proto__", "constructor"];
  const settings = settingsFrom(names.map((name) => [["tools", name, "max"], 3]));
  expect(entriesOf(settings)).toHaveLength(names.length);
  const { tools } = completed(settings) as { tools: Record<string, { max: number }> };
  expect(Object.keys(tools)).toEqual(names);
  expect(Object.getOwnPropertyDescriptor(tools, "__proto__")?.value).toMatchObject({ max: 3 });
});

test("of two entries with the same path the later one counts, and a part replaces a whole", () => {
  const entries = [
    [["turns", "max"], 5],
    [["turns", "max"], 6],
    [["boundary"], "menu"],
    [["boundary", "x"], 1],
  ] as const;
  expect(settingsFrom(entries)).toEqual({ turns: { max: 6 }, boundary: { x: 1 } });
});
