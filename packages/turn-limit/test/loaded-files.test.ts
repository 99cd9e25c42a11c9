import { readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  exports: Record<string, string | { default: string }>;
};

/** The entries that are about pools themselves: they make one, keep it, or test what keeps it. */
const ABOUT_POOLS = [".", "./testing", "./stores/sqlite", "./stores/redis"];

// A statement that names types only is gone from what is built.
const STATEMENT = /^(?:import|export)\s+(?!type\b)(?:[^;"]*?\s+from\s+)?"(\.{1,2}\/[^"]+)"/gm;

/** All files that a file loads, itself included, without those that it imports when they are needed. */
function loadedBy(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  for (const [, path = ""] of readFileSync(file, "utf8").matchAll(STATEMENT))
    loadedBy(join(dirname(file), path), loaded);
  return loaded;
}

function filesOf(entry: string): string[] {
  const exported = exports[entry];
  const built = typeof exported === "object" ? exported.default : "";
  const source = join(root, built.replace("./dist/", "src/").replace(/\.js$/, ".ts"));
  return [...loadedBy(source)].map((file) => relative(join(root, "src"), file).split(sep).join("/"));
}

const entries = Object.keys(exports).filter((entry) => entry !== "./package.json");
const withoutPools = entries.filter((entry) => !ABOUT_POOLS.includes(entry));

test.for(withoutPools)("%s loads nothing of pools, their ledger and their stores", (entry) => {
  expect(filesOf(entry).filter((file) => file.startsWith("pools/"))).toEqual([]);
});

test("the imports are read: an entry that makes pools loads them", () => {
  expect(filesOf(".")).toContain("pools/membership.ts");
});
