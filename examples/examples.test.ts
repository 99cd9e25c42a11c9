import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const execute = promisify(execFile);
const examples = readdirSync(import.meta.dirname).filter(
  (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
);

test.each(examples)("the example %s runs, and ends with what it found", async (name) => {
  const { stdout } = await execute(process.execPath, [join(import.meta.dirname, name)]);
  expect(stdout).toMatch(/^answer: .+/m);
  expect(stdout).toMatch(/^outcome: (salvaged|wrapped-up)$/m);
});
