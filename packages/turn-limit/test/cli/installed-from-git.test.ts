import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Clone, cloneOfRepository } from "@turn-limit/rig";
import { afterAll, beforeAll, expect, test } from "vitest";
import { offline } from "../../../../scripts/offline.mjs";

const execute = promisify(execFile);
const repository = join(import.meta.dirname, "..", "..", "..", "..");
// npm builds the package, and so takes as long as a build does.
const patience = { timeout: 600_000 };
const limited = `
  import { limitLoop } from "turn-limit/loop";
  const limits = limitLoop({ turns: 3 });
  limits.begin();
  while (await limits.nextTurn()) limits.turnEnded();
  console.log(limits.end().kind, limits.outcome.turns);
`;
let clone: Clone;
let folder: string;

beforeAll(async () => {
  clone = await cloneOfRepository();
  folder = await mkdtemp(join(tmpdir(), "user-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await clone[Symbol.asyncDispose]();
});

/** A project of a person who uses the package. */
async function project(name: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(path);
  await writeFile(
    join(path, "package.json"),
    JSON.stringify({ name: "user", private: true, type: "module" }),
  );
  return path;
}

/**
 * Runs npm or npx without a registry.
 *
 * For a git address, npm clones the repository into its cache, installs there what the lock file names, and has it built.
 * That install is left out, for it would need the registry: the cache is a folder of this repository's node_modules, so
 * that the build finds the same tools there.
 */
function npm(command: "npm" | "npx", cwd: string, ...args: string[]) {
  return npmWith({}, command, cwd, ...args);
}

function npmWith(variables: NodeJS.ProcessEnv, command: "npm" | "npx", cwd: string, ...args: string[]) {
  const unprepared = { _PACOTE_NO_PREPARE_: `${address()}#${clone.commit}` };
  const env = { ...process.env, ...offline(repository), ...unprepared, ...variables };
  return execute(command, ["--legacy-peer-deps", ...args], { cwd, env });
}

function address(): string {
  return `git+file://${clone.folder}`;
}

test(
  "after `npm install` of a git address the core can be imported, with its types, and has the commands",
  patience,
  async () => {
    const cwd = await project("from-git");

    await npm("npm", cwd, "install", "--no-audit", "--no-fund", address());

    const { stdout } = await execute(process.execPath, ["--input-type=module", "-e", limited], { cwd });
    expect(stdout.trim()).toBe("stopped 3");

    await writeFile(
      join(cwd, "user.ts"),
      'import type { Outcome } from "turn-limit";\nexport const kind: Outcome["kind"] = "no kind";',
    );
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--types", ""];
    const tsc = join(repository, "node_modules", ".bin", "tsc");
    const failed = await execute(tsc, [...options, "user.ts"], { cwd }).catch((failed) => failed);
    expect(failed.stdout).toContain(`'"no kind"' is not assignable`);

    const { stdout: help } = await npm("npx", cwd, "turn-limit", "run", "--help");
    expect(help).toContain("--max-turns");
    const { stdout: statsHelp } = await npm("npx", cwd, "pi-turn-limit", "--help");
    expect(statsHelp).toContain("stats");
  },
);

test("`npx` of a git address runs an agent under limits", patience, async () => {
  const cwd = await project("by-npx");
  const provider = createServer((_, response) => response.end("{}")).listen(0, "127.0.0.1");
  await once(provider, "listening");
  const { port } = provider.address() as AddressInfo;
  const asks = "fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', body: '{}' })";
  const agent = [process.execPath, "-e", `${asks}.then(({ status }) => console.log('answered', status))`];
  const limits = ["run", "--max-requests", "5", "--"];
  const variables = { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` };

  const { stdout, stderr } = await npmWith(variables, "npx", cwd, "--yes", address(), ...limits, ...agent);
  provider.close();

  expect(stdout.trim()).toBe("answered 200");
  expect(stderr).toContain("turn-limit: completed · 1 request ·");
});

test("after `npm install` of a folder of a clone the core can be imported", patience, async () => {
  const cwd = await project("from-clone");

  const core = join(repository, "packages", "turn-limit");
  await npm("npm", cwd, "install", "--no-audit", "--no-fund", "--no-save", core);

  const { stdout } = await execute(process.execPath, ["--input-type=module", "-e", limited], { cwd });
  expect(stdout.trim()).toBe("stopped 3");
});
