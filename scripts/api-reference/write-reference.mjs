import { join, relative } from "node:path";
import { Application, LogLevel } from "typedoc";
import { madeFrom } from "../made-from.mjs";
import { publicEntries } from "./public-entries.mjs";

/**
 * Writes the API reference of a package as HTML, with a page for each public entry. Prints what is wrong.
 *
 * @param {string} packageFolder
 * @param {string} out
 * @returns {Promise<boolean>} Whether all is well. If not, nothing is written.
 */
export async function writeReference(packageFolder, out) {
  const entries = publicEntries(packageFolder);
  const app = await Application.bootstrap({
    entryPoints: entries.map(({ source }) => source),
    alwaysCreateEntryPointModule: true,
    tsconfig: join(packageFolder, "tsconfig.build.json"),
    readme: join(packageFolder, "README.md"),
    projectDocuments: [join(packageFolder, "docs", "**", "*.md")],
    displayBasePath: packageFolder,
    out,
    // The types are checked by `npm run check`, with this repository's own TypeScript.
    skipErrorChecking: true,
    excludeExternals: true,
    disableSources: true,
    includeVersion: true,
    customFooterHtml: `Made from ${madeFrom(packageFolder)}`,
    logLevel: LogLevel.Warn,
    // Links in Markdown files are checked by check-links.mjs.
    validation: { invalidLink: true, invalidPath: false, notExported: false },
  });
  const project = await app.convert();
  if (!project) return false;

  const importedAs = new Map(entries.map(({ name, source }) => [pageName(packageFolder, source), name]));
  for (const page of project.children ?? []) page.name = importedAs.get(page.name) ?? page.name;

  app.validate(project);
  if (app.logger.hasErrors() || app.logger.hasWarnings()) return false;
  await app.generateOutputs(project);
  return !app.logger.hasErrors();
}

/**
 * What TypeDoc calls the page of a source file.
 *
 * @param {string} packageFolder
 * @param {string} source
 */
function pageName(packageFolder, source) {
  return relative(packageFolder, source)
    .replaceAll("\\", "/")
    .replace(/(\/index)?\.ts$/, "");
}
