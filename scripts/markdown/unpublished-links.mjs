import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { links } from "./links.mjs";
import { markdownFiles } from "./markdown-files.mjs";

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
    .map((entry) => join(folder, entry))
    .filter((path) => existsSync(path))
    .flatMap((path) =>
      statSync(path).isDirectory() ? markdownFiles(path) : path.endsWith(".md") ? [path] : [],
    )
    .flatMap((file) => {
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
