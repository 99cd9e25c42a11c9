/** @typedef {{ line: number, language: string, code: string }} CodeBlock */

/**
 * The fenced code of a Markdown text, with the line on which it begins.
 *
 * @param {string} markdown
 * @returns {CodeBlock[]}
 */
export function codeBlocks(markdown) {
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(
    ({ index, 1: language = "", 2: code = "" }) => ({
      line: markdown.slice(0, index).split("\n").length + 1,
      language,
      code,
    }),
  );
}
