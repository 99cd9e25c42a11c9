import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const execute = promisify(execFile);
const FOLDER = join(import.meta.dirname, "adapting-a-host");
const GUIDE = join(import.meta.dirname, "..", "packages", "turn-limit", "docs", "adapting-a-host.md");

const read = (file: string) => readFileSync(join(FOLDER, file), "utf8");

test.each(["tiny-agent.ts", "limit-tiny-agent.ts", "scripted-host.ts", "contract.test.ts"])(
  "the guide shows %s as it is",
  (file) => {
    expect(readFileSync(GUIDE, "utf8")).toContain(`\`\`\`ts\n${read(file)}\`\`\`\n`);
  },
);

test("the guide's adapter has less than 60 lines", () => {
  expect(read("limit-tiny-agent.ts").trimEnd().split("\n").length).toBeLessThan(60);
});

test("the guide's adapter keeps the contract, with a test runner that is not ours", async () => {
  const { stdout } = await execute(process.execPath, ["--test", join(FOLDER, "contract.test.ts")]);
  expect(stdout).toMatch(/^# fail 0$|^ℹ fail 0$/m);
  expect(stdout).toMatch(/^(#|ℹ) pass [1-9]/m);
});
