import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectToPrintWhatItSays, withPi } from "../docs/examples.ts";
import { examplesIn } from "../docs/pages.ts";
import { ownEntry } from "../docs/run-example.ts";

for (const example of withPi)
  test(`the example at ${example.place} runs, and prints what it says`, () =>
    expectToPrintWhatItSays(example));

const packages = join(import.meta.dirname, "..", "..", "..");
const commands = {
  "turn-limit": join(packages, "turn-limit", "dist", "command", "turn-limit.js"),
  "pi-turn-limit": join(packages, "pi-turn-limit", "dist", "cli.cjs"),
};
/** Programs that the documentation starts, as they are found on the PATH here. */
const programs = {
  npx: `case $1 in ${Object.entries(commands)
    .map(([name, file]) => `${name}) shift; exec "${process.execPath}" "${file}" "$@";;`)
    .join(" ")} esac; exit 1`,
  // The gateway is asked for nothing: these end at once.
  claude: "echo '2.1.325 (Claude Code)'",
  codex: "echo 'codex-cli 0.166.0'",
  python: "exit 0",
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "docs-"));
  await mkdir(join(folder, "bin"));
  for (const [name, script] of Object.entries(programs))
    await writeFile(join(folder, "bin", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });

  const { createPool } = await ownEntry("turn-limit");
  const { sqliteStore } = await ownEntry("turn-limit/stores/sqlite");
  const store = sqliteStore(join(folder, "pools.sqlite"));
  await createPool({ id: "research", cost: 20, store }).freeze();
  await store.close();
});
afterAll(() => rm(folder, { recursive: true }));

/** Types a line into a shell. A server is ended as soon as it says where it is. */
async function type(line: string) {
  const child = spawn("sh", ["-c", `exec ${line}`], {
    cwd: folder,
    env: {
      PATH: [join(folder, "bin"), process.env.PATH].join(delimiter),
      HOME: folder,
      PI_CODING_AGENT_DIR: folder,
      TURN_LIMIT_STORE: join(folder, "pools.sqlite"),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  child.stderr.on("data", (data) => {
    said.stderr += data;
  });
  child.stdout.on("data", (data) => {
    said.stdout += data;
    if (/^ANTHROPIC_BASE_URL=/m.test(said.stdout)) child.kill("SIGTERM");
  });
  const [code] = await once(child, "close");
  return { code, ...said };
}

// The documentation of both packages. Other READMEs are for those who work on them.
const isDocumentation = ({ page }: { page: string }) =>
  /^(README\.md|packages\/[^/]+\/(README\.md|docs\/))/.test(page);
const lines = examplesIn("sh")
  .filter(isDocumentation)
  .flatMap(({ place, code }) =>
    code
      .trim()
      .split("\n")
      .map((line) => ({ place, line: line.replace(/ +# .*$/, "") })),
  );
const starts = (...words: string[]) =>
  lines.filter(({ line }) => words.some((word) => line.startsWith(`${word} `) || line === word));

test("every command in the documentation is typed here, or is one of these", () => {
  const typed = starts("npx turn-limit", "npx pi-turn-limit");
  // Installs have tests of their own, installed-from-git.test.ts of both packages and npx-redis.test.ts; the rest is what
  // runs the tests.
  const others = lines.filter(({ line }) => /<git address>|^(npm|node|caddy|npx --package)\b/.test(line));
  expect(lines.filter((line) => !typed.includes(line) && !others.includes(line))).toEqual([]);
});

for (const { place, line } of starts("npx turn-limit run"))
  test(`at ${place}: ${line}`, async () => {
    const { code, stderr } = await type(line);
    expect(stderr).toMatch(/^turn-limit: .*no request came through the gateway/m);
    expect(code).toBe(1);
  });

for (const { place, line } of starts("npx turn-limit gateway"))
  test(`at ${place}: ${line}`, async () => {
    // A port that is free on every machine.
    const { stdout, stderr } = await type(line.replace(/ --port \d+/, ""));
    expect(stdout, stderr).toMatch(/^ANTHROPIC_BASE_URL=http:\/\//m);
  });

for (const { place, line } of starts("npx turn-limit pools", "npx pi-turn-limit"))
  test(`at ${place}: ${line}`, async () => {
    const { code, stdout, stderr } = await type(line);
    expect(code, stderr).toBe(0);
    expect(stdout).not.toBe("");
  });
