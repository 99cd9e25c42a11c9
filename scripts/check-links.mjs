// Fails when a Markdown file of this repository links to a file or a heading that does not exist, or a published one to
// what is not published with it.
import { globSync } from "node:fs";
import { join, relative } from "node:path";
import { brokenLinks } from "./markdown/broken-links.mjs";
import { markdownFiles } from "./markdown/markdown-files.mjs";
import { unpublishedLinks } from "./markdown/unpublished-links.mjs";

const root = join(import.meta.dirname, "..");
const files = markdownFiles(root);
const packages = globSync("packages/*", { cwd: root }).map((folder) => join(root, folder));
const broken = [...files.flatMap((file) => brokenLinks(file, root)), ...packages.flatMap(unpublishedLinks)];

for (const { file, line, target, why } of broken)
  console.error(`${relative(root, file)}:${line}: ${target}: ${why}`);
console.log(`Checked the links in ${files.length} Markdown files: ${broken.length || "none"} broken`);
process.exitCode = broken.length > 0 ? 1 : 0;
