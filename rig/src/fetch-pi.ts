import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** What the published bundle needs beside it at run time. */
const companions = ["jiti@2.7.0", "@silvia-odwyer/photon-node@0.3.4"];

/**
 * Fetches a published Pi whose dependencies npm cannot all install, once, and gives its folder.
 *
 * Every caller prepares a folder of its own and renames it at the end: the first one wins, the others
 * throw theirs away. So an interrupted fetch leaves no half of a host, and no lock can go stale.
 */
export async function fetchPi(version: string, shelf: string): Promise<string> {
  const folder = join(shelf, `pi-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(shelf, { recursive: true });
  const draft = await mkdtemp(join(shelf, `.fetching-${version}-`));
  try {
    await fill(draft, version);
    await rename(draft, folder).catch((error) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}

async function fill(folder: string, version: string): Promise<void> {
  // Its own manifest keeps npm from climbing up to the workspace.
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "fetched-pi", private: true }));
  await npm(folder, "pack", `@earendil-works/pi-coding-agent@${version}`);
  const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error(`npm pack of Pi ${version} left no tarball`);
  await run("tar", ["-xzf", tarball], { cwd: folder });
  await rm(join(folder, tarball));
  await npm(folder, "install", ...companions);
}

async function npm(cwd: string, ...args: string[]): Promise<void> {
  const quiet = ["--loglevel=error", "--no-audit", "--no-fund", "--no-workspaces", "--fetch-retries=1"];
  try {
    await run("npm", [...args, ...quiet], { cwd, env: outsideOfNpmScripts(), timeout: 300_000 });
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    const gist = stderr.trim().split("\n").slice(0, 4).join("; ");
    throw new Error(`npm ${args.join(" ")} failed: ${gist || error}`);
  }
}

// Under `npm test` these point the inner npm at the outer project.
function outsideOfNpmScripts(): NodeJS.ProcessEnv {
  const leaking = /^(npm_package_|npm_lifecycle_|npm_config_local_prefix$|INIT_CWD$)/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !leaking.test(name)));
}
