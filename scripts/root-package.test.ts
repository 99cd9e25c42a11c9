import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
const root = read("../package.json");
const core = read("../packages/turn-limit/package.json");

/** The core's own paths, as seen from the root. */
function seenFromRoot(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/^\.\//, "./packages/turn-limit/");
  return Object.fromEntries(Object.entries(value as object).map(([key, part]) => [key, seenFromRoot(part)]));
}

test.each(["exports", "bin"])(
  "the root, which a git address installs, has the same %s as the core",
  (field) => {
    expect(root[field]).toEqual(seenFromRoot(core[field]));
  },
);

test("the root has the name and the version of the core", () => {
  expect([root.name, root.version]).toEqual([core.name, core.version]);
});
