import { readFile, writeFile } from "node:fs/promises";
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
Each part is made by one run of \`npm run conformance\`; its numbers are what was seen in that run, for us and for them.`;

/** The parts, and what they are called in the document. */
const HEADINGS = { frameworks: "Frameworks", agents: "Coding agents" } as const;

/** What is compared with others. The trials do not count: a commit that changes them names no other commit. */
const SOURCES = ["packages/*/src/*"];

/** A part of the comparison. */
export type PartName = keyof typeof HEADINGS;

/** The whole document. */
export function documentOf(parts: Readonly<Record<PartName, Played>>): string {
  const sections = (Object.keys(HEADINGS) as PartName[]).map((name) => sectionOf(name, parts[name]));
  return `${[INTRODUCTION, ...sections].join("\n\n")}\n`;
}

/** The document with one part made anew. */
export function withPart(document: string, name: PartName, played: Played): string {
  const [introduction = "", ...sections] = document.trim().split(/\n\n(?=## )/);
  const heading = `## ${HEADINGS[name]}\n`;
  const anew = sections.map((section) => (section.startsWith(heading) ? sectionOf(name, played) : section));
  return `${[introduction, ...anew].join("\n\n")}\n`;
}

function sectionOf(name: PartName, { text }: Played): string {
  const day = new Date().toISOString().slice(0, 10);
  const made = `Made on ${day}, with the packages as of ${madeFrom(repository, ...SOURCES)}.`;
  return `## ${HEADINGS[name]}\n\n${made}\n\n${text.trim()}`;
}

/** Writes the parts that were played. Each is written whole, or none: a trial that was not played would be missing in it. */
export async function writeDocument(played: Partial<Record<PartName, Played>>): Promise<void> {
  const notPlayed = Object.values(played).flatMap((part) => part.notPlayed);
  if (notPlayed.length > 0)
    throw new Error(`The document is not written, because it would not be whole:\n${notPlayed.join("\n")}`);
  const { frameworks, agents } = played;
  if (frameworks && agents) return writeFile(DOCUMENT, documentOf({ frameworks, agents }));
  let document = await readFile(DOCUMENT, "utf8");
  for (const [name, part] of Object.entries(played)) document = withPart(document, name as PartName, part);
  await writeFile(DOCUMENT, document);
}
