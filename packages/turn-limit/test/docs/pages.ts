import { readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { codeBlocks } from "../../../../scripts/markdown/code-blocks.mjs";
import { markdownFiles } from "../../../../scripts/markdown/markdown-files.mjs";

const repository = join(import.meta.dirname, "..", "..", "..", "..");

/** A Markdown file of the repository. */
export interface Page {
  /** Its path in the repository. */
  path: string;
  text: string;
}

/** Every README and every page of documentation. */
export const pages: Page[] = markdownFiles(repository).map((file) => ({
  path: relative(repository, file).split(sep).join("/"),
  text: readFileSync(file, "utf8"),
}));

/** A page of the core's documentation, for example `docs/governor.md`. */
export function corePage(path: string): string {
  const page = pages.find((page) => page.path === `packages/turn-limit/${path}`);
  if (!page) throw new Error(`There is no page ${path}`);
  return page.text;
}

/** A block of code on a page. */
export interface Example {
  /** The page and the line. */
  place: string;
  page: string;
  code: string;
}

/** The code in one of these languages, on every page. */
export function examplesIn(...languages: string[]): Example[] {
  return pages.flatMap(({ path, text }) =>
    codeBlocks(text)
      .filter(({ language }) => languages.includes(language))
      .map(({ line, code }) => ({ place: `${path}:${line}`, page: path, code })),
  );
}
