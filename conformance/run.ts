/**
 * Puts the limiters of frameworks and coding agents, and ours, into the same situations, and writes what was seen to
 * docs/conformance.md. `frameworks` or `agents` as an argument: plays only these, and prints what was seen.
 */
import { relative } from "node:path";
import { playAgents } from "./agents/play-agents.ts";
import { DOCUMENT, type Played, writeDocument } from "./document.ts";
import { playFrameworks } from "./play-frameworks.ts";

const parts: Record<string, () => Promise<Played>> = { frameworks: playFrameworks, agents: playAgents };
const [named] = process.argv.slice(2);

if (named === undefined) {
  const [frameworks, agents] = [await playFrameworks(), await playAgents()];
  await writeDocument(frameworks, agents);
  console.log(`Wrote ${relative(process.cwd(), DOCUMENT)}`);
} else {
  const play = parts[named];
  if (!play) {
    const all = Object.keys(parts).join(", ");
    console.error(`${JSON.stringify(named)} is no part of the comparison. There are: ${all}.`);
    process.exit(2);
  }
  console.log((await play()).text);
  console.log(
    `\nNothing is written: ${relative(process.cwd(), DOCUMENT)} is made whole, without an argument.`,
  );
}
// A framework may keep handles open; everything is written by now.
process.exit(0);
