import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { unpublishedLinks } from "./unpublished-links.mjs";

const folder = mkdtempSync(join(tmpdir(), "unpublished-"));
afterAll(() => rmSync(folder, { recursive: true }));

function targetsIn(readme: string, manifest: object = {}): string[] {
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ files: ["spec", "CHANGELOG.md"], ...manifest }),
  );
  writeFileSync(join(folder, "README.md"), readme);
  return unpublishedLinks(folder).map(({ target }) => target);
}

test("a link to what is not in the package is found", () => {
  const readme = "[a](../../docs/a.md) [b](src/b.ts) [c](../other/README.md#x) [d](specification/d.md)";
  expect(targetsIn(readme)).toEqual([
    "../../docs/a.md",
    "src/b.ts",
    "../other/README.md#x",
    "specification/d.md",
  ]);
});

test("what is published, a heading and an address elsewhere are fine", () => {
  expect(targetsIn("[a](spec/a.allium) [b](CHANGELOG.md#x) [c](#c) [d](https://example.com/d)")).toEqual([]);
});

test("a package that is never published may link to anything", () => {
  expect(targetsIn("[a](../../docs/a.md)", { private: true })).toEqual([]);
});

test.each(["turn-limit", "pi-turn-limit"])(
  "the documents of %s link only to what is published with it",
  (name) => {
    expect(unpublishedLinks(join(import.meta.dirname, "..", "..", "packages", name))).toEqual([]);
  },
);
