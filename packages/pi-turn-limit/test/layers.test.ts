import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { expect, test } from "vitest";

const packages = join(import.meta.dirname, "..", "..");

// From the bottom up, as in ARCHITECTURE. Folders on one line do not use each other.
const LAYERS: Record<string, readonly (readonly string[])[]> = {
  "turn-limit/src": [
    ["core"],
    ["run"],
    ["pools"],
    ["adapters", "prices", "otel", "progress", "testing"],
    ["gateway"],
    ["launch", "notify"],
    ["index.ts", "command"],
  ],
  "turn-limit/src/core": [
    ["errors", "hidden-field.ts", "steady-list.ts"],
    ["checks.ts", "measures"],
    ["meter"],
    ["limits"],
    ["words.ts"],
    ["standalone", "governor", "text"],
    ["history"],
  ],
  "pi-turn-limit/src": [
    [
      "core.ts",
      "core-dashboard.ts",
      "core-notify.ts",
      "core-parked.ts",
      "core-progress.ts",
      "core-sqlite.ts",
      "pi-process.ts",
    ],
    ["limits"],
    ["settings"],
    ["person"],
    ["agents"],
    ["display"],
    ["session", "stats"],
    ["commands"],
    ["turn-limit.ts", "load-compiled.ts"],
    ["from-clone.ts"],
  ],
};

const IMPORT = /(?:\bfrom|\bimport\(?)\s*"(\.{1,2}\/[^"]+)"/g;

for (const [name, layers] of Object.entries(LAYERS)) {
  const source = join(packages, name);
  const files = globSync("**/*.ts", { cwd: source }).filter((file) => !file.endsWith(".test.ts"));
  const partOf = (file: string) => file.split(sep)[0] ?? "";
  const levelOf = (part: string) => layers.findIndex((layer) => layer.includes(part));

  test(`every file of ${name} is in a layer`, () => {
    expect(files.filter((file) => levelOf(partOf(file)) < 0)).toEqual([]);
  });

  test(`no file of ${name} imports from a layer above its own, or beside it`, () => {
    const imports = files.flatMap((file) =>
      [...readFileSync(join(source, file), "utf8").matchAll(IMPORT)].map(([, path = ""]) => ({
        file,
        imported: relative(source, join(source, dirname(file), path)),
      })),
    );
    expect(imports.length).toBeGreaterThan(files.length);
    const wrong = imports.filter(({ file, imported }) => {
      const [from, to] = [partOf(file), partOf(imported)];
      return from !== to && to !== ".." && levelOf(to) >= levelOf(from);
    });
    expect(wrong.map(({ file, imported }) => `${file} imports ${imported}`)).toEqual([]);
  });
}

test.for(["turn-limit/src", "pi-turn-limit/src"])(
  "a test in %s is named after the file beside it that it is about; the others are in test/",
  (name) => {
    const tests = globSync("**/*.test.ts", { cwd: join(packages, name) });
    expect(tests.length).toBeGreaterThan(0);
    const about = (file: string) => join(packages, name, file.replace(/\.test\.ts$/, ".ts"));
    expect(tests.filter((file) => !existsSync(about(file)))).toEqual([]);
  },
);
