import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import {
  bash,
  calls,
  createSandbox,
  endless,
  endsAfter,
  fails,
  type ModelRequest,
  type PiHost,
  piCommand,
  type Sandbox,
  type Script,
  says,
  startScriptedModel,
  textOf,
} from "@turn-limit/rig";
import { DEFAULT_WRAP_UP_MESSAGE } from "turn-limit";
import { expect, test } from "vitest";
import { onNewestHost } from "../packages/pi-turn-limit/test/helpers/on-each-host.ts";

const example = join(import.meta.dirname, "pi-headless", "run.ts");
const extension = fileURLToPath(new URL("../packages/pi-turn-limit", import.meta.url));

/** Runs the example where `pi` is this Pi, with the extension. */
async function run(host: PiHost, script: Script, ...args: string[]) {
  await using model = await startScriptedModel(script);
  await using sandbox = await createSandbox({ baseUrl: model.baseUrl });
  const path = await pathWithPi(host, sandbox);
  const child = spawn(process.execPath, [example, "Go.", "-e", extension, ...args], {
    cwd: sandbox.projectDir,
    env: { ...sandbox.env, PATH: `${path}:${sandbox.env.PATH}` },
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { code, stdout, stderr, requests: model.requests.length };
}

async function pathWithPi(host: PiHost, sandbox: Sandbox): Promise<string> {
  const { file, args } = piCommand({ host, sandbox });
  const folder = join(sandbox.root, "bin");
  await mkdir(folder);
  const command = [file, ...args].map((part) => `'${part}'`).join(" ");
  await writeFile(join(folder, "pi"), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
  return folder;
}

const isToldToWrapUp = ({ messages }: ModelRequest) =>
  messages.some((message) => textOf(message).includes(DEFAULT_WRAP_UP_MESSAGE));

onNewestHost((host) => {
  test("the headless example exits with 3 when a limit stopped the agent, and names it", async () => {
    const { code, stdout, stderr, requests } = await run(host, endless(), "--max-turns", "2");
    expect({ code, stdout, requests }).toEqual({ code: 3, stdout: "", requests: 2 });
    expect(stderr).toContain("The agent was stopped by its limit of turns.");
  });

  test("the headless example exits with 0 and the answer when the agent is done by itself", async () => {
    const { code, stdout, stderr } = await run(host, endsAfter(2), "--max-turns", "2");
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "All done.\n", stderr: "" });
  });

  test("the headless example exits with 4 and the answer when the agent was told to wrap up, and did", async () => {
    const script: Script = (request) =>
      isToldToWrapUp(request) ? says("As far as I got.") : calls(bash("echo working"));
    const { code, stdout } = await run(host, script, "--max-turns", "4", "--turn-grace", "2");
    expect({ code, stdout }).toEqual({ code: 4, stdout: "As far as I got.\n" });
  });

  test("the headless example exits with 4 and the answer when the agent was out of budget and answered without tools", async () => {
    const script: Script = ({ toolNames }) =>
      toolNames.length === 0 ? says("What I know.") : calls(bash("echo working"));
    const { code, stdout } = await run(host, script, "--max-steps", "2 synthesize");
    expect({ code, stdout }).toEqual({ code: 4, stdout: "What I know.\n" });
  });

  test("the headless example exits with 1 when the request failed, and says why", async () => {
    const { code, stdout, stderr } = await run(host, () => fails(400, "No such thing"), "--max-turns", "2");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("No such thing");
  });

  test("the headless example exits with 1 when Pi did not start, and says so", async () => {
    const { code, stderr, requests } = await run(host, endless(), "--no-such-option");
    expect({ code, requests }).toEqual({ code: 1, requests: 0 });
    expect(stderr).toContain("Pi gave no answer");
  });
});
