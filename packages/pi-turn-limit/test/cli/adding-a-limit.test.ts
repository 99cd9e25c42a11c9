import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { calls, startScriptedProvider, withUsage } from "@turn-limit/rig";
import { afterAll, beforeAll, expect, test } from "vitest";
import { leavesWithoutEnd } from "../helpers/executed.ts";
import { onNewestHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, counterLines, no, questions, tell, work } from "../helpers/talk.ts";

const repository = join(import.meta.dirname, "..", "..", "..", "..");
const run = promisify(execFile);
let copy: string;

// Follows the recipe in CONTRIBUTING: one descriptor in the core, one in Pi, and a build of both. Nothing else changes.
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "adding-a-limit-"));
  await copySources();
  const guide = await readFile(join(repository, "CONTRIBUTING.md"), "utf8");
  const recipe = guide.slice(guide.indexOf("## Adding a kind of limit"));
  const [core = "", pi = ""] = [...recipe.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
  await insert("packages/turn-limit/src/core/limits/kinds.ts", "export const KINDS = {", core);
  await insert("packages/pi-turn-limit/src/limits/pi-limits.ts", "export const piLimits = [", pi);
  const bin = join(repository, "node_modules", ".bin");
  await run(join(bin, "tsc"), ["-p", "packages/turn-limit/tsconfig.build.json"], { cwd: copy });
  for (const build of ["scripts/dashboard-page.mjs", "packages/pi-turn-limit/build.mjs"])
    await run(process.execPath, [build], { cwd: copy });
  await run(join(bin, "tsc"), ["-p", "tsconfig.json", "--noEmit"], { cwd: copy });
});

afterAll(() => rm(copy, { recursive: true, force: true }));

/** The sources of both packages, beside the modules that are installed here. */
async function copySources(): Promise<void> {
  const parts = ["src", "package.json", "tsconfig.build.json", "build.mjs", "build-options.mjs"];
  for (const name of ["turn-limit", "pi-turn-limit"]) {
    for (const part of await readdir(join(repository, "packages", name))) {
      if (!parts.includes(part)) continue;
      const path = join("packages", name, part);
      await cp(join(repository, path), join(copy, path), { recursive: true });
    }
  }
  for (const file of ["tsconfig.base.json", join("scripts", "dashboard-page.mjs")])
    await cp(join(repository, file), join(copy, file));
  const include = ["packages/pi-turn-limit/src/turn-limit.ts", "packages/turn-limit/src/index.ts"];
  await writeFile(
    join(copy, "tsconfig.json"),
    JSON.stringify({ extends: "./tsconfig.base.json", files: include }),
  );
  const modules = join(repository, "node_modules");
  await mkdir(join(copy, "node_modules"));
  for (const name of await readdir(modules)) {
    const target = ["turn-limit", "pi-turn-limit"].includes(name)
      ? join(copy, "packages", name)
      : join(modules, name);
    await symlink(target, join(copy, "node_modules", name));
  }
}

/** Puts the code behind the line that opens the table. */
async function insert(path: string, opening: string, code: string): Promise<void> {
  const file = join(copy, path);
  const source = await readFile(file, "utf8");
  expect(source.split(opening), `${path} has one "${opening}"`).toHaveLength(2);
  expect(code, "the recipe has the code").not.toBe("");
  await writeFile(
    file,
    source.replace(opening, () => `${opening}\n${code}`),
  );
}

/** A part of the core as it was built. */
function built(...path: string[]): string {
  return join(copy, "packages", "turn-limit", "dist", ...path);
}

test("a limit that was added by a descriptor in the core is one that a pool can have", async () => {
  const { createPool } = await import(built("index.js"));
  const { limitLoop } = await import(built("adapters", "loop", "index.js"));
  const pool = createPool({ id: "night", output: 50, estimate: { output: 20 } });
  const turnsOfARun = async () => {
    const limits = limitLoop({ pool });
    limits.begin();
    while (await limits.nextTurn()) limits.turnEnded({ usage: { input: 7, output: 20 } });
    const { kind, limit, turns } = limits.end();
    await limits.poolsSettled();
    return { kind, limit, turns };
  };
  expect(await turnsOfARun()).toEqual({ kind: "stopped", limit: "output of pool night", turns: 3 });
  expect(await turnsOfARun()).toMatchObject({ turns: 0 });
  await pool.extend("output", 30);
  expect(await turnsOfARun()).toMatchObject({ turns: 1 });
  expect((await pool.read()).limits).toEqual([{ limit: "output", used: 80, max: 80 }]);
});

test("the command holds an agent to it, says so, and extends it", async () => {
  const answer = withUsage(
    { promptTokens: 900, completionTokens: 1_000 },
    calls({ name: "look", arguments: {} }),
  );
  await using provider = await startScriptedProvider(() => answer);
  const command = (...args: string[]) =>
    run(process.execPath, [built("command", "turn-limit.js"), ...args], {
      env: { PATH: process.env.PATH, TZ: process.env.TZ, HOME: copy, ANTHROPIC_BASE_URL: provider.address },
    }).catch(({ code, stdout, stderr }) => ({ code, stdout, stderr }));
  const agent = join(repository, "packages", "turn-limit", "test", "command", "agents", "claude-like.mjs");
  const store = ["--store", join(copy, "pools.sqlite")];
  const limited = ["run", ...store, "--profile", "none", "--max-output", "2.5k per day"];

  const held = await command(...limited, "--", process.execPath, agent);
  expect(provider.requests).toHaveLength(3);
  expect(held).toMatchObject({
    code: 86,
    stdout: expect.stringMatching(
      /^402 Output limit per day reached \(3k\/2\.5k\)\. .* raise --max-output of turn-limit run\.\n$/,
    ),
    stderr: expect.stringMatching(/^turn-limit: stopped at 3k\/2\.5k output per day · 3 requests/),
  });
  const { stdout } = await command("pools", "extend", "runs per day", "output", "1k", ...store);
  expect(stdout).toMatch(/^runs per day@\S+ may use more output: 1k in addition\.\n$/);
  await command(...limited, "--", process.execPath, agent);
  expect(provider.requests).toHaveLength(4);
  expect((await command("pools", "--once", ...store)).stdout).toMatch(/OUTPUT.*4k\/3\.5k/s);
  expect((await command("run", "--help")).stdout).toContain("  --max-output 50k     output limit\n");
});

onNewestHost((host) => {
  // Every answer of the script has 20 tokens of output.
  test("a limit that was added by two descriptors has a flag, holds, and says how to raise it", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const build = join(copy, "packages", "pi-turn-limit");
    const { code, stderr } = await stage.print("Go.", { build, args: ["--max-output", "60"] });
    expect(stage.model.requests).toHaveLength(3);
    expect(stderr).toBe(
      'Output limit reached (60/60). To allow more, use --max-output, PI_MAX_OUTPUT or "output" in turn-limit.json.\n',
    );
    expect(code).toBe(1);
  });

  test("it has a command, a place in the counter and a question", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    await stage.sandbox.writeUserConfig({ output: { max: 40, headless: "synthesize" } });
    const pi = await stage.rpc({ build: join(copy, "packages", "pi-turn-limit") });
    expect((await tell(pi, "/output-limit")).message).toMatch(/^Output limit: 40 \(your settings, /);
    answerInTurn(pi, no);
    await work(pi, "Go.");
    expect(questions(pi)[0]).toBe("Output limit reached: The answers have 40 of 40 tokens. Continue?");
    expect(counterLines(pi)).toContain("Turns: 2/25 · Output: 40/40");
  });
});
