import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isBuilt } from "./is-built.mjs";

const core = "packages/turn-limit";
const extension = "packages/pi-turn-limit";
const source = `${core}/src/core/limits/kinds.ts`;
let root: string;

/** Writes a file, at so many seconds. */
function put(path: string, seconds: number): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  utimesSync(file, seconds, seconds);
}

function setFolderTimes(seconds: number): void {
  for (const folder of [`${core}/src`, `${core}/src/core`, `${core}/src/core/limits`, `${extension}/src`])
    utimesSync(join(root, folder), seconds, seconds);
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "is-built-"));
  const described = ["package.json", "tsconfig.build.json"].map((name) => `${core}/${name}`);
  const made = ["package.json", "build.mjs", "build-options.mjs"].map((name) => `${extension}/${name}`);
  const all = ["package-lock.json", "tsconfig.base.json", ...described, ...made];
  for (const path of [...all, source, `${extension}/src/turn-limit.ts`]) put(path, 1_000);
  setFolderTimes(1_000);
  put(`${core}/dist/index.js`, 2_000);
  put(`${extension}/dist/cli.cjs`, 2_001);
});
afterEach(() => rmSync(root, { recursive: true }));

test("packages that were built after their sources were changed are not built again", () => {
  expect(isBuilt(root)).toBe(true);
});

test.for([source, "package-lock.json", `${extension}/build.mjs`])(
  "packages are built again when %s was changed later",
  (path) => {
    put(path, 3_000);
    setFolderTimes(1_000);
    expect(isBuilt(root)).toBe(false);
  },
);

test("packages are built again when a source was removed", () => {
  rmSync(join(root, source));
  expect(isBuilt(root)).toBe(false);
});

test.for([`${core}/dist/index.js`, `${extension}/dist/cli.cjs`])(
  "packages are built again when %s is missing",
  (path) => {
    rmSync(join(root, path));
    expect(isBuilt(root)).toBe(false);
  },
);
