import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
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
    if (/^(ANTHROPIC_BASE_URL=|To pair a browser)/m.test(said.stdout)) child.kill("SIGTERM");
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

const tested = [
  ...["run", "gateway", "dashboard", "pools", "grants", "parked", "devices"].map(
    (name) => `turn-limit ${name}`,
  ),
  "pi-turn-limit",
];

test("every command in the documentation is typed here, or is one of these", () => {
  const typed = starts(...tested.map((command) => `npx ${command}`));
  // Installs have tests of their own, installed-from-git.test.ts of both packages and npx-redis.test.ts; the rest is what
  // runs the tests. A parked run is resumed, and Pi parks one, in the tests of parked runs.
  const others = lines.filter(({ line }) =>
    /<git address>|^(npm|node|caddy|tailscale|ntfy|npx --package|npx turn-limit resume|pi -p)\b/.test(line),
  );
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

for (const { place, line } of starts("npx turn-limit dashboard"))
  test(`at ${place}: ${line}`, async () => {
    // There is no such server here.
    const here = line.replace(/ --store redis:\S+/, "");
    const { code, stdout, stderr } = await type(`${here} --port 0`);
    expect(stdout, stderr).toMatch(/^To pair a browser, open https?:\/\//m);
    expect(code).toBe(0);
  });

const ended = [
  "turn-limit pools",
  "turn-limit grants",
  "turn-limit parked",
  "turn-limit devices",
  "pi-turn-limit",
];
for (const { place, line } of starts(...ended.map((command) => `npx ${command}`)))
  test(`at ${place}: ${line}`, async () => {
    const { code, stdout, stderr } = await besideARun(({ question }) =>
      // The ids of questions are new in each run.
      type(line.replace(" 9d1f ", ` ${question} `)),
    );
    expect(code, stderr).toBe(0);
    expect(stdout).not.toBe("");
  });

/** While a run works that has the id of the documentation's, and asks. */
async function besideARun<T>(work: (run: { question: string }) => Promise<T>): Promise<T> {
  const { listIn } = await ownEntry("turn-limit");
  const { limitLoop } = await ownEntry("turn-limit/loop");
  const { sqliteStore } = await ownEntry("turn-limit/stores/sqlite");
  const store = sqliteStore(join(folder, "pools.sqlite"));
  const listed = listIn(store, { id: `5f0c3a51-${randomUUID()}` });
  const over = new AbortController();
  const loop = limitLoop({ turns: 1, listed, ask: listed.ask });
  loop.begin();
  await loop.nextTurn();
  loop.turnEnded();
  const held = loop.nextTurn(over.signal);
  try {
    const openQuestion = async () => Object.keys((await store.runs())[0]?.state.questions ?? {})[0];
    const question = await vi.waitUntil(openQuestion, { timeout: 60_000 });
    return await work({ question });
  } finally {
    over.abort();
    await held;
    loop.end();
    await loop.poolsSettled();
    await store.close();
  }
}
