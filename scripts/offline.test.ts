import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const execute = promisify(execFile);

test.concurrent.each([
  ["install", "semver@^7", "--dry-run"],
  ["pack", "semver@7.8.5", "--dry-run"],
])("a test that runs `npm %s %s` fails, whatever the machine has cached", async (...args) => {
  // Whatever the outer npm was told to keep to itself, the reason is wanted here.
  const loud = [...args, "--loglevel=error"];
  await expect(execute("npm", loud, { cwd: tmpdir() })).rejects.toThrow("ENOTCACHED");
});
