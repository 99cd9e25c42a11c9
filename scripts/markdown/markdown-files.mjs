import { readdirSync } from "node:fs";
import { join } from "node:path";

const installedOrBuilt = /[\\/](node_modules|dist|\.git|docs[\\/]api)$/;

/**
 * Every Markdown file below a folder, apart from what is installed or built.
 *
 * @param {string} folder
 * @returns {string[]}
 */
export function markdownFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return installedOrBuilt.test(path) ? [] : markdownFiles(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}
