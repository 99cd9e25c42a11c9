import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * What a package offers to import, and the source files behind it: every entry of `exports` that has types.
 *
 * @param {string} packageFolder
 * @returns {{ name: string, source: string }[]}
 */
export function publicEntries(packageFolder) {
  const manifest = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
  return Object.entries(manifest.exports)
    .filter(([, target]) => typeof target === "object" && target.types)
    .map(([entry, target]) => {
      const source = target.types.replace(/^\.\/dist\//, "src/").replace(/\.d\.ts$/, ".ts");
      if (!existsSync(join(packageFolder, source)))
        throw new Error(
          `exports["${entry}"] of ${manifest.name} is built from ${source}, which does not exist`,
        );
      return { name: join(manifest.name, entry), source: join(packageFolder, source) };
    });
}
