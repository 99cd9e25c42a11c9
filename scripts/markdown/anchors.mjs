import { proseLines } from "./prose.mjs";

/**
 * What `#...` can name in a Markdown text: its headings, as GitHub names them, and ids in its HTML.
 *
 * @param {string} markdown
 * @returns {Set<string>}
 */
export function anchors(markdown) {
  const found = new Set();
  for (const line of proseLines(markdown)) {
    const heading = /^ {0,3}#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1];
    if (heading !== undefined) found.add(numbered(slug(heading), found));
    for (const [, id] of line.matchAll(/<[^>]+\b(?:id|name)=["']([^"']+)["']/g)) found.add(id);
  }
  return found;
}

/** @param {string} heading */
function slug(heading) {
  const text = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/<[^>]+>/g, "");
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\s-]/gu, "")
    .replace(/\s/g, "-");
}

/**
 * The second heading of the same name is `name-1`, the third `name-2`.
 *
 * @param {string} name
 * @param {Set<string>} taken
 */
function numbered(name, taken) {
  let unique = name;
  for (let count = 1; taken.has(unique); count += 1) unique = `${name}-${count}`;
  return unique;
}
