import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../scripts/installed-pi.ts";
import type { Row } from "./measurement.ts";
import { filledColumns } from "./report.ts";

const path = join(repository, "docs", "performance.md");

const introduction = `# Performance

What turn-limit costs, measured by \`npm run bench\`. All that is in one row was measured side by side in one run.

- **base**: the same without us, as the brackets say: no limiter, the host's own limiter, a bare command or a bare proxy
- **floor**: the least that anybody in our place could take, such as an empty hook, script or transaction
- **build before**: the same measurement with an earlier build of this repository
- **now**: the build that each part names
- in brackets after a number: where the true one is, with a confidence of 95 %
- **within the noise**: the interval contains the goal, so another run may come to the opposite verdict
- **out of reach**: the floor misses the goal as well; **perhaps**: the interval of the floor contains the goal
`;

/** One part of the document: what was measured when, on which machine, with which build. */
export interface Section {
  title: string;
  circumstances: string;
  rows: readonly Row[];
}

/** Writes the document. The sections of \`titles\` that are not written anew stay as they are, with their own date. */
export function writeDocument(sections: readonly Section[], titles: readonly string[]): void {
  const texts = new Map(existsSync(path) ? writtenSections(readFileSync(path, "utf8")) : []);
  for (const section of sections) texts.set(section.title, textOf(section));
  const inOrder = titles.map((title) => texts.get(title)).filter((text) => text !== undefined);
  writeFileSync(path, `${[introduction.trim(), ...inOrder].join("\n\n")}\n`);
}

function writtenSections(document: string): [title: string, text: string][] {
  const [, ...texts] = document.split(/^(?=## )/m);
  return texts.map((text) => [text.slice(3, text.indexOf("\n")), text.trim()]);
}

function textOf({ title, circumstances, rows }: Section): string {
  const [heading = [], ...lines] = filledColumns(rows);
  const table = [heading, heading.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`);
  return [`## ${title}`, circumstances, table.join("\n")].join("\n\n");
}
