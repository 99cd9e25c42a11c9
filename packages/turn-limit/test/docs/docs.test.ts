import { expect, test } from "vitest";
import { expectToPrintWhatItSays, withAgents, withFramework, withoutFramework, withPi } from "./examples.ts";
import { pages } from "./pages.ts";
import { importsOf } from "./run-example.ts";

test("examples are found", () => {
  expect(withoutFramework.length).toBeGreaterThanOrEqual(15);
  expect(withFramework.length).toBeGreaterThanOrEqual(12);
  expect([withPi.length, withAgents.length]).toEqual([1, 1]);
});

for (const example of withoutFramework)
  test(`the example at ${example.place} runs, and prints what it says`, () =>
    expectToPrintWhatItSays(example));

test("every example imports what it is about", () => {
  const without = [...withoutFramework, ...withFramework].filter(
    (example) => importsOf(example).length === 0,
  );
  expect(without.map(({ place }) => place)).toEqual([]);
});

test.each(pages)("every row of $path is in a table, and in it once", ({ text }) => {
  const tables = text.split(/\n(?!\|)/).map((part) => part.split("\n").filter((row) => row.startsWith("|")));
  for (const [head, line, ...rows] of tables.filter((rows) => rows.length > 0)) {
    expect(line, head).toMatch(/^\|[-| ]+\|$/);
    expect(rows.filter((row, index) => rows.indexOf(row) !== index)).toEqual([]);
  }
});

test.each([
  ["README.md", 110],
  ["packages/turn-limit/README.md", 150],
  ["packages/pi-turn-limit/README.md", 150],
])("%s is a door, and has %i lines or fewer", (path, most) => {
  const readme = pages.find((page) => page.path === path);
  expect(readme?.text.trimEnd().split("\n").length).toBeLessThanOrEqual(most);
});
