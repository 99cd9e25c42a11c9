import { execFile } from "node:child_process";
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
    await install(host, sandbox, clone.folder);
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
