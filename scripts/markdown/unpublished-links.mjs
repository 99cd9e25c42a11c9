import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { links } from "./links.mjs";

/** @typedef {import("./broken-links.mjs").BrokenLink} BrokenLink */

// npm publishes these whatever `files` says.
const ALWAYS = ["package.json", "README.md", "LICENSE"];

/**
 * The links in the Markdown files of a package that lead to what is not published with it: whoever reads them on npm, or
 * where the package is installed, finds nothing there.
 *
 * @param {string} folder The folder of the package.
 * @returns {BrokenLink[]}
 */
export function unpublishedLinks(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (manifest.private) return [];
  /** @type {string[]} */
  const published = [...ALWAYS, ...(manifest.files ?? [])];
  /** @param {string} path */
  const isPublished = (path) => published.some((entry) => path === entry || path.startsWith(`${entry}/`));
  return published
    .filter((entry) => entry.endsWith(".md") && existsSync(join(folder, entry)))
    .flatMap((entry) => {
      const file = join(folder, entry);
      return links(readFileSync(file, "utf8"))
        .filter(({ target }) => !/^([a-z][a-z+.-]*:|\/\/|#)/i.test(target))
        .filter(({ target }) => !isPublished(pathIn(folder, file, target)))
        .map(({ line, target }) => ({ file, line, target, why: "is not published with the package" }));
    });
}

/**
 * @param {string} folder
 * @param {string} file
 * @param {string} target
 */
function pathIn(folder, file, target) {
  const path = decodeURIComponent(target).split("#")[0] ?? "";
  return relative(folder, join(dirname(file), path))
    .split(sep)
    .join("/");
}
