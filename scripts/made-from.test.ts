import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { madeFrom } from "./made-from.mjs";

let folder: string;
const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@example", ...args], {
    cwd: folder,
    encoding: "utf8",
  }).trim();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "made-from-"));
  git("init", "--quiet");
  mkdirSync(join(folder, "docs"));
  writeFileSync(join(folder, "code.ts"), "1");
  git("add", ".");
  git("commit", "--quiet", "--message", "One");
});
afterEach(() => rmSync(folder, { recursive: true }));

test("names the commit", () => {
  expect(madeFrom(folder)).toBe(`commit ${git("rev-parse", "--short=10", "HEAD")}`);
});

test("a document that was written before is no change", () => {
  writeFileSync(join(folder, "docs", "page.md"), "made");
  expect(madeFrom(folder)).toMatch(/^commit \w+$/);
});

test("of sources: the last commit that changed them, whatever came after it", () => {
  const ofCode = `commit ${git("rev-parse", "--short=10", "HEAD")}`;
  mkdirSync(join(folder, "trials"));
  writeFileSync(join(folder, "trials", "trial.ts"), "1");
  git("add", ".");
  git("commit", "--quiet", "--message", "Two");
  writeFileSync(join(folder, "trials", "trial.ts"), "2");
  expect(madeFrom(folder, "*.ts", ":!trials")).toBe(ofCode);
  writeFileSync(join(folder, "code.ts"), "2");
  expect(madeFrom(folder, "*.ts", ":!trials")).toBe(`${ofCode} and changes that are not committed`);
  expect(madeFrom(folder, "packages/*/src/*")).toBe("files that are in no commit");
});

test("says that there are changes", () => {
  writeFileSync(join(folder, "code.ts"), "2");
  expect(madeFrom(folder)).toMatch(/^commit \w+ and changes that are not committed$/);
});

test("outside of a repository there is no commit", () => {
  rmSync(join(folder, ".git"), { recursive: true });
  expect(madeFrom(folder)).toBe("files that are in no commit");
});
