/** The lines of a Markdown table. The first row has the headings. */
export function table([headings = [], ...lines]: string[][]): string[] {
  const row = (values: string[]) => `| ${values.map(escaped).join(" | ")} |`;
  return [row(headings), row(headings.map(() => "---")), ...lines.map(row)];
}

function escaped(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s*\n\s*/g, " ");
}
