import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
const root = read("../package.json");
const core = read("../packages/turn-limit/package.json");
const extension = read("../packages/pi-turn-limit/package.json");

/** The paths of a package, as seen from the root. */
function seenFromRoot(name: string, value: unknown): unknown {
  if (typeof value === "string") return value.replace(/^(\.\/)?/, `./packages/${name}/`);
  const parts = Object.entries(value as object);
  return Object.fromEntries(parts.map(([key, part]) => [key, seenFromRoot(name, part)]));
}

test("the root, which a git address installs, exports what the core does", () => {
  expect(root.exports).toEqual(seenFromRoot("turn-limit", core.exports));
});

test("the root has the commands of both packages", () => {
  expect(root.bin).toEqual({
    ...(seenFromRoot("turn-limit", core.bin) as object),
    ...(seenFromRoot("pi-turn-limit", extension.bin) as object),
  });
});

test("the root has the name and the version of the core", () => {
  expect([root.name, root.version]).toEqual([core.name, core.version]);
});
