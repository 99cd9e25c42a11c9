import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The comparison. */
export const DOCUMENT = join(import.meta.dirname, "..", "docs", "conformance.md");

const AGENTS_HEADING = "## Coding agents";

/** What the document says: its part about frameworks, and its section about coding agents below its heading. */
export interface Parts {
  frameworks: string;
  agents: string;
}

/** Writes the parts given. The others stay as they are. */
export async function writeParts(parts: Partial<Parts>): Promise<void> {
  const { frameworks, agents } = { ...(await readParts()), ...parts };
  await writeFile(DOCUMENT, `${frameworks.trim()}\n\n${AGENTS_HEADING}\n\n${agents.trim()}\n`);
}

async function readParts(): Promise<Parts> {
  const [frameworks = "", agents = ""] = (await readFile(DOCUMENT, "utf8")).split(`\n${AGENTS_HEADING}\n`);
  return { frameworks, agents };
}
