/**
 * The lines of a Markdown text with everything blanked out that is not prose: fenced code, inline code and
 * HTML comments. The lines keep their numbers.
 *
 * @param {string} markdown
 * @returns {string[]}
 */
export function proseLines(markdown) {
  /** @type {string | undefined} */
  let fence;
  const withoutComments = markdown.replace(/<!--[\s\S]*?-->/g, (comment) => comment.replace(/[^\n]/g, ""));
  return withoutComments.split(/\r?\n/).map((line) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      return "";
    }
    fence = mark;
    return mark === undefined ? line : "";
  });
}

/**
 * A line without its inline code.
 *
 * @param {string} line
 */
export function withoutInlineCode(line) {
  return line.replace(/(`+)(?!`).*?(?<!`)\1(?!`)/g, "");
}
