/**
 * Puts the limiters of frameworks and coding agents, and ours, into the same situations, and writes what was seen to
 * docs/conformance.md. `frameworks` or `agents` as an argument: plays only these, and prints what was seen, or, with
 * `--write`, writes that part of the document anew.
 */
import { relative } from "node:path";
import { playAgents } from "./agents/play-agents.ts";
import { DOCUMENT, type PartName, type Played, writeDocument } from "./document.ts";
import { playFrameworks } from "./play-frameworks.ts";

const parts: Record<PartName, () => Promise<Played>> = { frameworks: playFrameworks, agents: playAgents };
const given = process.argv.slice(2);
const [named] = given.filter((word) => word !== "--write");

if (named === undefined) {
  const [frameworks, agents] = [await playFrameworks(), await playAgents()];
  await writeDocument({ frameworks, agents });
  console.log(`Wrote ${relative(process.cwd(), DOCUMENT)}`);
} else {
  const play = (parts as Partial<Record<string, () => Promise<Played>>>)[named];
  if (!play) {
    const all = Object.keys(parts).join(", ");
    console.error(`${JSON.stringify(named)} is no part of the comparison. There are: ${all}.`);
    process.exit(2);
  }
  const played = await play();
  if (given.includes("--write")) {
    await writeDocument({ [named]: played });
    console.log(`Wrote this part of ${relative(process.cwd(), DOCUMENT)}`);
  } else {
    console.log(played.text);
    console.log("\nNothing is written. With --write, this part of the document is.");
  }
}
// A framework may keep handles open; everything is written by now.
process.exit(0);
