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
    async resolveId(id) {
      if (!names.some((name) => id === name || id.startsWith(`${name}/`))) return undefined;
      const found = await this.resolve(id, join(folder, "package.json"), { skipSelf: true });
      // Otherwise that of the repository would be tested in its place.
      if (!found?.id.startsWith(join(folder, "node_modules")))
        throw new Error(`${id} is not installed in ${folder}`);
      return found;
    },
  };
}
