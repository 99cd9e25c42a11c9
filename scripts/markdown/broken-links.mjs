import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { anchors } from "./anchors.mjs";
import { links } from "./links.mjs";

/** @typedef {{ file: string, line: number, target: string, why: string }} BrokenLink */

/**
 * The links of a Markdown file that lead nowhere. Addresses elsewhere (`https:`, `mailto:`) are not looked at.
 *
 * @param {string} file
 * @param {string} root The folder of the repository, which no link may leave.
 * @returns {BrokenLink[]}
 */
export function brokenLinks(file, root) {
  return links(readFileSync(file, "utf8"))
    .filter(({ target }) => !/^([a-z][a-z+.-]*:|\/\/)/i.test(target))
    .flatMap(({ line, target }) => {
      const why = problemOf(file, target, root);
      return why === undefined ? [] : [{ file, line, target, why }];
    });
}

/**
 * @param {string} file
 * @param {string} target
 * @param {string} root
 * @returns {string | undefined}
 */
function problemOf(file, target, root) {
  const [path = "", anchor] = decodeURIComponent(target).split("#");
  // A leading slash means the folder of the repository, as on its website.
  const linked = path === "" ? file : path.startsWith("/") ? join(root, path) : resolve(dirname(file), path);
  if (relative(root, linked).startsWith("..")) return "is outside of the repository";
  if (!existsSync(linked)) return "does not exist";
  if (anchor === undefined || anchor === "" || statSync(linked).isDirectory()) return undefined;
  if (!linked.endsWith(".md")) return undefined;
  return anchors(readFileSync(linked, "utf8")).has(anchor) ? undefined : `has no heading #${anchor}`;
}
