import { proseLines, withoutInlineCode } from "./prose.mjs";

const inline = /\]\(\s*<?([^)<>\s]+)>?(?:\s+["'(][^)]*)?\)/g;
const definition = /^ {0,3}\[[^\]]+\]:\s*<?([^<>\s]+)>?/g;
const html = /<(?:a|img|source)\b[^>]*?\b(?:href|src|srcset)=["']([^"']+)["']/g;

/**
 * The targets of a Markdown text's links and images, with their lines: `[a](b)`, `[a]: b` and HTML. What stands
 * in code is no link.
 *
 * @param {string} markdown
 * @returns {{ line: number, target: string }[]}
 */
export function links(markdown) {
  return proseLines(markdown).flatMap((text, index) =>
    [inline, definition, html].flatMap((pattern) =>
      [...withoutInlineCode(text).matchAll(pattern)].map(([, target = ""]) => ({ line: index + 1, target })),
    ),
  );
}
