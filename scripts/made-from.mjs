import { spawnSync } from "node:child_process";

/**
 * What a document was made from, in words: the commit, and whether there were changes beside it. The documents
 * themselves, in `docs`, do not count as changes.
 *
 * @param {string} repository
 * @returns {string}
 */
export function madeFrom(repository) {
  const commit = git(repository, "rev-parse", "--short=10", "HEAD");
  if (commit === undefined) return "files that are in no commit";
  const changes = git(repository, "status", "--porcelain", "--", ".", ":!docs");
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
