import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

const SPECIFICATION = join(import.meta.dirname, "../spec");
const PACKAGES = join(import.meta.dirname, "../..");
const FOLDERS = ["turn-limit/src", "turn-limit/test", "pi-turn-limit/src", "pi-turn-limit/test"];
// These define tests, too: `test/stores` runs them against every store.
const STORE_CONTRACT = join(PACKAGES, "turn-limit/src/testing/store-contract");

/** A test that carries names of the specification. */
interface Tagged {
  tags: string[];
  file: string;
}

// Not the `@invariant` of a contract: that is a promise of whoever keeps the contract.
function namesIn(specification: string): string[] {
  return [...specification.matchAll(/^\s*(?:rule|invariant) (\w+) \{/gm)].map(([, name]) => name ?? "");
}

function definesTests(file: string): boolean {
  return file.endsWith(".test.ts") || dirname(file) === STORE_CONTRACT;
}

function testFiles(): string[] {
  return FOLDERS.map((folder) => join(PACKAGES, folder)).flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((file) => join(folder, file))
      .filter((file) => definesTests(file) && file !== import.meta.filename),
  );
}

/** The tags at the end of each test's name in `source`: `test("sums up [Adding] [Counting]", …)` has two. */
function tagsIn(source: string): string[][] {
  const names = source.matchAll(/(?<!skip)\(\s*(["'`])(?:(?!\1).)*?((?: \[[A-Z]\w*\])+)\1\s*,/g);
  return [...names].map(([, , tags = ""]) => [...(tags.match(/\w+/g) ?? [])]);
}

/** The files that a specification says it uses. */
function usesIn(specification: string): string[] {
  return [...specification.matchAll(/^use "(.+)" as \w+$/gm)].map(([, path]) => path ?? "");
}

const specification = readdirSync(SPECIFICATION)
  .filter((file) => file.endsWith(".allium"))
  .map((file) => readFileSync(join(SPECIFICATION, file), "utf8"));
const specified = specification.flatMap(namesIn);
const tagged: Tagged[] = testFiles().flatMap((file) =>
  tagsIn(readFileSync(file, "utf8")).map((tags) => ({ tags, file: relative(PACKAGES, file) })),
);

test("the specification says something", () => {
  expect(specified).toContain("TurnAdmitted");
  expect(specified).toContain("CompletedWithinStarted");
});

test("the files of the specification use each other", () => {
  const used = new Set(specification.flatMap(usesIn).map((path) => join(SPECIFICATION, path)));
  expect([...used].filter((path) => !existsSync(path))).toEqual([]);
  expect(specification.filter((file) => usesIn(file).length === 0)).toHaveLength(1);
});

test("no two rules or invariants of the specification share a name", () => {
  const repeated = specified.filter((name, index) => specified.indexOf(name) !== index);
  expect(repeated).toEqual([]);
});

test("every rule and invariant of the specification is covered by a test that carries its name", () => {
  const covered = new Set(tagged.flatMap(({ tags }) => tags));
  const uncovered = specified.filter((name) => !covered.has(name));
  expect(uncovered).toEqual([]);
});

test("every name a test carries is one of the specification", () => {
  const unknown = tagged.filter(({ tags }) => !tags.every((tag) => specified.includes(tag)));
  expect(unknown).toEqual([]);
});

test("no test carries more than two names, so that a test that fails says what is broken", () => {
  expect(tagged.filter(({ tags }) => tags.length > 2)).toEqual([]);
});

test("tags are read off the end of a test's name, and nowhere else", () => {
  const source = [
    'test("counts [One] [Two]", () => {});',
    'onEachHost(\n  "counts [Three]",\n  () => {},\n);',
    'test("counts [not a tag]", () => {});',
    'test("[Four] counts", () => {});',
    'test.skip("counts [Five]", () => {});',
    'const text = "counts [Six]";',
  ].join("\n");
  expect(tagsIn(source)).toEqual([["One", "Two"], ["Three"]]);
});
