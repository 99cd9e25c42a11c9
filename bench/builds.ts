import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { repository } from "../scripts/installed-pi.ts";

/** The build that every figure is compared with. */
export const revisionBefore = "b6190bd";

/** Whatever a build of both packages needs. */
const sources = ["package.json", "tsconfig.base.json", "packages", "scripts"];

/** Both packages, built. */
export interface Build {
  /** The folder of the core. */
  core: string;
  /** The folder of Pi's extension, as `pi -e` takes it. */
  extension: string;
}

export interface Builds extends AsyncDisposable {
  now: Build;
  /** Left out if this clone does not have it. */
  before?: Build | undefined;
}

/** The builds by name, which can be passed to another process as JSON: `{ now: …, before: … }`. */
export function buildsByName({ now, before }: Builds): Record<string, Build> {
  return before ? { now, before } : { now };
}

/** The address of an entry of a build's core: `entryOf(build, "./loop")`. */
export function entryOf({ core }: Build, name: string): string {
  const { exports } = JSON.parse(readFileSync(join(core, "package.json"), "utf8"));
  return pathToFileURL(join(core, exports[name].default)).href;
}

/** This clone's build, and the one before, which is built in a temporary folder. */
export async function openBuilds(revision: string): Promise<Builds> {
  const folder = await mkdtemp(join(tmpdir(), "turn-limit-before-"));
  const dispose = () => rm(folder, { recursive: true, force: true });
  try {
    const before = buildAt(revision, folder);
    return { now: buildIn(repository), before, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

function buildIn(folder: string): Build {
  const packages = join(folder, "packages");
  return { core: join(packages, "turn-limit"), extension: join(packages, "pi-turn-limit") };
}

function buildAt(revision: string, folder: string): Build | undefined {
  const { status, stdout, stderr } = spawnSync("git", ["archive", revision, ...sources], {
    cwd: repository,
    maxBuffer: 100_000_000,
  });
  if (status !== 0) {
    console.log(`Left out: the build before. git cannot read ${revision} here: ${`${stderr}`.trim()}`);
    return undefined;
  }
  mustRun("tar", ["-x", "-C", folder], folder, stdout);
  // What the build before depends on is what this clone has installed: only our own code differs.
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"), "junction");
  for (const name of ["turn-limit", "pi-turn-limit"]) {
    mustRun("npm", ["run", "build", "--silent"], join(folder, "packages", name));
  }
  return buildIn(folder);
}

function mustRun(command: string, args: string[], cwd: string, input?: Buffer): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    input,
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${error ?? `${stdout}${stderr}`}`);
}
