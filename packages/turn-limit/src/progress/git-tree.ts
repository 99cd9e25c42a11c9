import { execFile } from "node:child_process";
import { Contents } from "./contents.ts";
import type { Tree } from "./tree.ts";

/** So much of what git prints is read: it names more files than are looked at. */
const LONGEST_OUTPUT = 16 * 2 ** 20;

// Git changes nothing by these: no lock is taken, the index is not written, and no program of the repository runs.
const READ_ONLY = ["--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false"];

/**
 * The files of a repository that are not as they are in the commit of now, and those that are not ignored and not in it.
 * `undefined`: the folder is in no repository, or there is no git.
 */
export async function gitTree(folder: string, signal: AbortSignal): Promise<Tree | undefined> {
  const top = await git(folder, ["rev-parse", "--show-toplevel"], signal).catch(() => undefined);
  signal.throwIfAborted();
  if (!top) return undefined;
  const root = top.replace(/\r?\n$/, "");
  const head = await git(root, ["rev-parse", "--verify", "--quiet", "HEAD^{tree}"], signal).catch(() => "");
  // Before its first commit a repository has no tree to compare with.
  const base = head.trim() || (await git(root, ["hash-object", "-t", "tree", "--stdin"], signal)).trim();
  const contents = new Contents(root);
  const changed = ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules", base];
  return {
    async look(signal) {
      const listed = await Promise.all([
        git(root, changed, signal),
        git(root, ["ls-files", "--others", "--exclude-standard", "-z"], signal),
      ]);
      return contents.of(new Set(listed.flatMap((names) => names.split("\0").filter(Boolean))), signal);
    },
  };
}

function git(folder: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      "git",
      [...READ_ONLY, "-C", folder, ...args],
      {
        env: { ...process.env, GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0" },
        maxBuffer: LONGEST_OUTPUT,
        signal,
        windowsHide: true,
      },
      (error, stdout) => (error ? reject(error) : resolve(stdout)),
    );
    child.stdin?.end();
  });
}
