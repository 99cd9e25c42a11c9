import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { madeFrom } from "../scripts/made-from.mjs";

const repository = join(import.meta.dirname, "..");

/** The comparison. */
export const DOCUMENT = join(repository, "docs", "conformance.md");

/** What was seen, as Markdown, and which trials could not be played. */
export interface Played {
  text: string;
  notPlayed: readonly string[];
}

const INTRODUCTION = `# Limiters compared

The limiters of agent frameworks and of coding agents, and turn-limit, in the same situations, counted at the model's end.
Made by \`npm run conformance\``;

/** The whole document. */
export function documentOf(frameworks: Played, agents: Played): string {
  return `${INTRODUCTION} from ${madeFrom(repository)}; the numbers are what was seen in that run, for us and for them.

## Frameworks

${frameworks.text.trim()}

## Coding agents

${agents.text.trim()}
`;
}

/** Writes the document whole, or not at all: a trial that was not played would be missing in it. */
export async function writeDocument(frameworks: Played, agents: Played): Promise<void> {
  const notPlayed = [...frameworks.notPlayed, ...agents.notPlayed];
  if (notPlayed.length > 0)
    throw new Error(`The document is not written, because it would not be whole:\n${notPlayed.join("\n")}`);
  await writeFile(DOCUMENT, documentOf(frameworks, agents));
}
