import { execFile } from "node:child_process";
import { cp, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import {
  createSandbox,
  endless,
  type PiHost,
  runPi,
  type Sandbox,
  startScriptedModel,
} from "@turn-limit/rig";
import { afterAll, beforeAll, expect, test } from "vitest";
import { offline } from "../../../../scripts/offline.mjs";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";

const execute = promisify(execFile);
const repository = join(import.meta.dirname, "..", "..", "..", "..");
const address = "https://git.example/someone/turn-limit";
let clone: string;

// This repository as a person clones it: nothing installed, nothing built.
beforeAll(async () => {
  clone = await realpath(await mkdtemp(join(tmpdir(), "clone-")));
  const leftOut = ["node_modules", "dist", ".git"];
  await cp(repository, clone, { recursive: true, filter: (path) => !leftOut.includes(basename(path)) });
  const git = (...args: string[]) =>
    execute("git", ["-c", "user.name=test", "-c", "user.email=test@example", ...args], { cwd: clone });
  await git("init", "--quiet");
  await git("add", ".");
  await git("commit", "--quiet", "--message", "All of it");
});

afterAll(() => rm(clone, { recursive: true, force: true }));

/** Runs `pi install`: npm has no registry, and the address leads to the clone. */
function install(
  host: PiHost,
  { projectDir, env }: Sandbox,
  source: string,
  more: Record<string, string> = {},
) {
  const redirect = {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `url.file://${clone}.insteadOf`,
    GIT_CONFIG_VALUE_0: address,
  };
  return execute(process.execPath, [host.cli, "install", source], {
    cwd: projectDir,
    env: { ...env, ...offline(repository), ...redirect, ...more },
  });
}

/** Installs it, and lets an agent that never ends run into its limit. */
async function expectLimitAfterInstall(host: PiHost, source: string, more: Record<string, string> = {}) {
  await using model = await startScriptedModel(endless());
  await using sandbox = await createSandbox(model);

  const { stdout } = await install(host, sandbox, source, more);
  const { code, stderr } = await runPi({ host, sandbox, args: ["--max-turns", "2", "-p", "go"] });

  expect(stdout).toContain("Installed");
  expect(stderr).toContain("Turn limit reached (2/2)");
  expect(model.requests).toHaveLength(2);
  expect(code).toBe(1);
}

onEachHost((host) => {
  test("after `pi install` of a git address the limit holds", async () => {
    await expectLimitAfterInstall(host, `git:${address}`);
  });
});

onNewestHost((host) => {
  test("after `pi install` of a git address, without scripts, the limit holds", async () => {
    await expectLimitAfterInstall(host, address, { npm_config_ignore_scripts: "true" });
  });

  test("after `pi install` of the path of a clone the limit holds, and what is loaded only when it is asked for loads, too", async () => {
    await using model = await startScriptedModel(endless());
    await using sandbox = await createSandbox(model);
    await install(host, sandbox, clone);
    const prompts = ["/limits", "/limits stats", "go"];
    const { stderr } = await runPi({
      host,
      sandbox,
      args: ["--max-turns", "2", "-p", ...prompts],
    });
    expect(stderr).toContain("Turns");
    expect(stderr).toContain("No prompts yet.");
    expect(stderr).toContain("Turn limit reached (2/2)");
    expect(model.requests).toHaveLength(2);
  });
});
