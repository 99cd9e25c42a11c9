import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * What a folder's package.json names.
 *
 * @param {string} folder
 */
export function namedBy(folder) {
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return Object.keys(dependencies);
}

/**
 * A plugin for Vite: what a folder's package.json names is imported from that folder, whoever imports it.
 *
 * @param {string} folder
 * @returns {import("vite").Plugin}
 */
export function fromFolder(folder) {
  const names = namedBy(folder);
  return {
    name: "frameworks-from-folder",
    enforce: "pre",
    resolveId(id) {
      const isNamed = names.some((name) => id === name || id.startsWith(`${name}/`));
      return isNamed ? this.resolve(id, join(folder, "package.json"), { skipSelf: true }) : undefined;
    },
  };
}
