import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { publicEntries } from "./public-entries.mjs";
import { writeReference } from "./write-reference.mjs";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

const exports = {
  ".": { types: "./dist/index.d.ts", default: "./dist/index.js" },
  "./extra": { types: "./dist/extra/index.d.ts", default: "./dist/extra/index.js" },
  "./package.json": "./package.json",
};

async function packageWith(sources: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "reference-"));
  folders.push(folder);
  await mkdir(join(folder, "src", "extra"), { recursive: true });
  await mkdir(join(folder, "docs"));
  const options = { rootDir: "src", types: [], lib: ["es2023"] };
  const files = {
    "package.json": JSON.stringify({ name: "sample", version: "1.2.3", exports }),
    "tsconfig.build.json": JSON.stringify({ compilerOptions: options, include: ["src"] }),
    "README.md": "# sample",
    "docs/guide.md": "# A guide",
    ...sources,
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  return folder;
}

test("a new entry in exports gets a page of its own, under the name that is imported, beside those of the documentation", async () => {
  const folder = await packageWith({
    "src/index.ts":
      "/** Adds up. See {@link Sum}. */ export function add(): Sum { return 1; }\nexport type Sum = number;",
    "src/extra/index.ts": "export const extra = 1;",
  });

  const fine = await writeReference(folder, join(folder, "out"));

  expect(fine).toBe(true);
  expect(await readdir(join(folder, "out", "modules"))).toEqual(["sample.html", "sample_extra.html"]);
  expect(await readdir(join(folder, "out", "documents"))).toEqual(["docs_guide.html"]);
  expect(await readFile(join(folder, "out", "index.html"), "utf8")).toContain(
    "Made from files that are in no commit",
  );
});

test("a doc comment that links to nothing is an error, and nothing is written", async () => {
  const folder = await packageWith({
    "src/index.ts": "/** See {@link Nothing}. */ export const a = 1;",
    "src/extra/index.ts": "export const extra = 1;",
  });
  const said = vi.spyOn(console, "warn").mockImplementation(() => {});

  const fine = await writeReference(folder, join(folder, "out"));

  expect(fine).toBe(false);
  expect(said.mock.calls.flat().join("\n")).toContain("Nothing");
  expect(await readdir(folder)).not.toContain("out");
});

test("an entry that is built from no source file is an error", async () => {
  const folder = await packageWith({ "src/index.ts": "export const a = 1;" });
  expect(() => publicEntries(folder)).toThrow(
    'exports["./extra"] of sample is built from src/extra/index.ts, which does not exist',
  );
});
