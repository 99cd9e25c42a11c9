import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const core = join("packages", "turn-limit");
const extension = join("packages", "pi-turn-limit");

/** Whatever a build depends on. A folder is as new as what was last added, removed or changed in it. */
const sources = [
  "package-lock.json",
  "tsconfig.base.json",
  join(core, "src"),
  join(core, "package.json"),
  join(core, "tsconfig.build.json"),
  join(extension, "src"),
  join(extension, "package.json"),
  join(extension, "build.mjs"),
  join(extension, "build-options.mjs"),
];

/**
 * Whether both packages were built to the end after their sources were last changed.
 *
 * @param {string} root The folder of the repository.
 */
export function isBuilt(root) {
  const first = join(root, core, "dist", "index.js");
  const last = join(root, extension, "dist", "cli.cjs");
  if (!existsSync(first) || !existsSync(last)) return false;
  const built = statSync(last).mtimeMs;
  return sources.every((source) => lastChange(join(root, source)) < built);
}

/** @param {string} path @returns {number} */
function lastChange(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => lastChange(join(path, name))));
}
