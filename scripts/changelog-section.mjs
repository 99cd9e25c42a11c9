// Prints what a changelog says about a version: node scripts/changelog-section.mjs packages/turn-limit/CHANGELOG.md 0.1.0
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/**
 * The text below the heading `## [version]` of a changelog, up to the next version.
 *
 * @param {string} changelog
 * @param {string} version
 */
export function changelogSection(changelog, version) {
  const lines = changelog.split(/\r?\n/);
  const start = lines.findIndex((line) => headingOf(line) === version);
  if (start === -1) throw new Error(`has no heading "## [${version}]"`);
  const below = lines.slice(start + 1);
  const end = below.findIndex((line) => headingOf(line) !== undefined || isLinkDefinition(line));
  const section = below
    .slice(0, end === -1 ? undefined : end)
    .join("\n")
    .trim();
  if (section === "") throw new Error(`says nothing below "## [${version}]"`);
  return section;
}

/** @param {string} line */
function headingOf(line) {
  return /^##\s+\[?v?([^\]\s]+)\]?/.exec(line)?.[1];
}

// Keep a Changelog ends with where each version can be seen: [1.0.0]: https://…
/** @param {string} line */
function isLinkDefinition(line) {
  return /^\[[^\]]+\]:\s/.test(line);
}

function main() {
  const [file, version] = process.argv.slice(2);
  if (file === undefined || version === undefined)
    throw new Error("Usage: changelog-section.mjs <file> <version>");
  try {
    console.log(changelogSection(readFileSync(file, "utf8"), version));
  } catch (error) {
    console.error(`${file} ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main();
