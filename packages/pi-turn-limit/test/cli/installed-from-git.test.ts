import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  type Clone,
  cloneOfRepository,
  createSandbox,
  endless,
  type PiHost,
  runPi,
  type Sandbox,
  type ScriptedModel,
  startScriptedModel,
} from "@turn-limit/rig";
import { afterAll, beforeAll, expect, test } from "vitest";
import { offline } from "../../../../scripts/offline.mjs";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";

const execute = promisify(execFile);
const repository = join(import.meta.dirname, "..", "..", "..", "..");
const address = "https://git.example/someone/turn-limit";
let clone: Clone;

beforeAll(async () => {
  clone = await cloneOfRepository();
});
afterAll(() => clone[Symbol.asyncDispose]());

/** Runs `pi install`: npm has no registry, and the address leads to the clone. */
function install(
  host: PiHost,
  { projectDir, env }: Sandbox,
  source: string,
  more: Record<string, string> = {},
) {
  const redirect = {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `url.file://${clone.folder}.insteadOf`,
    GIT_CONFIG_VALUE_0: address,
  };
  return execute(process.execPath, [host.cli, "install", source], {
    cwd: projectDir,
    env: { ...env, ...offline(repository), ...redirect, ...more },
  });
}

/** Where Pi keeps what it installs from the address. */
function installed({ agentDir }: Sandbox): string {
  return join(agentDir, "git", new URL(address).host, new URL(address).pathname);
}

/** A file of the extension's package there. */
function fileOf(sandbox: Sandbox, ...path: string[]): string {
  return join(installed(sandbox), "packages", "pi-turn-limit", ...path);
}

const reached = "} reached (";

/** Has the extension say another word instead of "reached (2/2)". */
async function saysInstead(file: string, word: string) {
  const code = await readFile(file, "utf8");
  expect(code).toContain(reached);
  await writeFile(file, code.replace(reached, `} ${word} (`));
}

/** Lets an agent that never ends run into its limit, after some commands whose parts are loaded only then. */
async function expectLimit(host: PiHost, model: ScriptedModel, sandbox: Sandbox, word = "reached") {
  const sent = model.requests.length;
  const args = ["--max-turns", "2", "-p", "/limits", "/limits stats", "go"];
  const { code, stderr } = await runPi({ host, sandbox, args });

  expect(stderr).toContain("Turns");
  expect(stderr).toContain("No prompts yet.");
  expect(stderr).toContain(`Turn limit ${word} (2/2)`);
  expect(model.requests).toHaveLength(sent + 2);
  expect(code).toBe(1);
}

onEachHost((host) => {
  test("`pi install` of a git address builds the extension without any tools; Pi builds it anew when a source is changed", async () => {
    await using model = await startScriptedModel(endless());
    await using sandbox = await createSandbox(model);
    const { stdout } = await install(host, sandbox, `git:${address}`);
    expect(stdout).toContain("Installed");
    await expectLimit(host, model, sandbox);

    await saysInstead(fileOf(sandbox, "dist", "extension.cjs"), "built");
    await expectLimit(host, model, sandbox, "built");

    await saysInstead(fileOf(sandbox, "src", "display", "limit-words.ts"), "changed");
    await expectLimit(host, model, sandbox, "changed");
  });
});

onNewestHost((host) => {
  test("after `pi install` of a git address, without scripts, the first start builds the extension, and the next ones load that", async () => {
    await using model = await startScriptedModel(endless());
    await using sandbox = await createSandbox(model);
    await install(host, sandbox, address, { npm_config_ignore_scripts: "true" });

    expect(existsSync(fileOf(sandbox, "dist"))).toBe(false);
    await expectLimit(host, model, sandbox);
    expect(await readdir(fileOf(sandbox))).toEqual(
      expect.not.arrayContaining([expect.stringMatching(/^dist-/)]),
    );

    await saysInstead(fileOf(sandbox, "dist", "extension.cjs"), "built");
    await expectLimit(host, model, sandbox, "built");
  });

  test("where the extension cannot be built, Pi loads the sources, and the limit holds", async () => {
    await using model = await startScriptedModel(endless());
    await using sandbox = await createSandbox(model);
    await install(host, sandbox, address, { npm_config_ignore_scripts: "true" });
    await writeFile(fileOf(sandbox, "build-without-tools.mjs"), "process.exit(1);\n");

    await expectLimit(host, model, sandbox);
    expect(existsSync(fileOf(sandbox, "dist"))).toBe(false);
  });

  test("after `pi install` of the path of a clone the limit holds, and what is loaded only when it is asked for loads, too", async () => {
    await using model = await startScriptedModel(endless());
    await using sandbox = await createSandbox(model);
    await install(host, sandbox, clone.folder);
    await expectLimit(host, model, sandbox);
  });
});
