// Fails when a Markdown file of this repository links to a file or a heading that does not exist.
import { join, relative } from "node:path";
import { brokenLinks } from "./markdown/broken-links.mjs";
import { markdownFiles } from "./markdown/markdown-files.mjs";

const root = join(import.meta.dirname, "..");
const files = markdownFiles(root);
const broken = files.flatMap((file) => brokenLinks(file, root));

for (const { file, line, target, why } of broken)
  console.error(`${relative(root, file)}:${line}: ${target}: ${why}`);
console.log(`Checked the links in ${files.length} Markdown files: ${broken.length || "none"} broken`);
process.exitCode = broken.length > 0 ? 1 : 0;
