/**
 * Puts the limiters of frameworks and coding agents, and ours, into the same situations, and writes what was seen to
 * docs/conformance.md. `frameworks` or `agents` as an argument: only that part of it.
 */
import { relative } from "node:path";
import { playAgents } from "./agents/play-agents.ts";
import { DOCUMENT, type Parts, writeParts } from "./document.ts";
import { playFrameworks } from "./play-frameworks.ts";

const plays: Record<keyof Parts, () => Promise<string>> = {
  frameworks: playFrameworks,
  agents: playAgents,
};

function isPart(name: string): name is keyof Parts {
  return name in plays;
}

const all = Object.keys(plays).filter(isPart);
const named = process.argv.slice(2);
const wrong = named.find((name) => !isPart(name));
if (wrong !== undefined) {
  console.error(`${JSON.stringify(wrong)} is no part of the comparison. There are: ${all.join(", ")}.`);
  process.exit(2);
}

for (const part of named.length > 0 ? named.filter(isPart) : all) {
  const seen = await plays[part]();
  console.log(seen);
  await writeParts({ [part]: seen });
}
console.log(`\nWrote ${relative(process.cwd(), DOCUMENT)}`);
// A framework may keep handles open; everything is written by now.
process.exit(0);
