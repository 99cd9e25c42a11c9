import { execFile } from "node:child_process";
import { cp, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);
const repository = join(import.meta.dirname, "..", "..");
const notInAClone = ["node_modules", "dist", ".git"];

/** This repository as a person clones it: nothing installed, nothing built. */
export interface Clone extends AsyncDisposable {
  folder: string;
  commit: string;
}

/** Makes a clone with all files as they are, committed or not. */
export async function cloneOfRepository(): Promise<Clone> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "clone-")));
  await cp(repository, folder, { recursive: true, filter: (path) => !notInAClone.includes(basename(path)) });
  const git = (...args: string[]) =>
    execute("git", ["-c", "user.name=test", "-c", "user.email=test@example", ...args], { cwd: folder });
  await git("init", "--quiet");
  await git("add", ".");
  await git("commit", "--quiet", "--message", "All of it");
  const { stdout } = await git("rev-parse", "HEAD");
  return {
    folder,
    commit: stdout.trim(),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
