import { spawnSync } from "node:child_process";

/**
 * What a document was made from, in words: the commit, and whether there were changes beside it. The documents
 * themselves, in `docs`, do not count as changes. With `sources`, patterns of files: the last commit that changed one of
 * them, which stays the same when later commits are moved.
 *
 * @param {string} repository
 * @param {string[]} sources
 * @returns {string}
 */
export function madeFrom(repository, ...sources) {
  const last = sources.length > 0 ? ["log", "-1", "--format=%H", "--", ...sources] : ["rev-parse", "HEAD"];
  const commit = git(repository, ...last)?.slice(0, 10);
  if (!commit) return "files that are in no commit";
  const changed = sources.length > 0 ? sources : [".", ":!docs"];
  const changes = git(repository, "status", "--porcelain", "--", ...changed);
  return changes === "" ? `commit ${commit}` : `commit ${commit} and changes that are not committed`;
}

/**
 * @param {string} cwd
 * @param {string[]} args
 * @returns {string | undefined}
 */
function git(cwd, ...args) {
  const { status, stdout } = spawnSync("git", args, { cwd, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}
