/**
 * Measures what turn-limit costs, each figure beside its base and beside an earlier build, and prints what came out. A
 * missed goal is no failure.
 *
 * The whole: `npm run bench`, which also writes `docs/performance.md` and the figures of the README. Some parts:
 * `npm run bench -- sizes governor`, with `--write` to put them there in place of what was there. `--before <revision>` names another earlier build.
 */
import { availableParallelism, cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { repository } from "../scripts/installed-pi.ts";
import { madeFrom } from "../scripts/made-from.mjs";
import { openBuilds, revisionBefore } from "./builds.ts";
import { type Section, writeDocument } from "./document.ts";
import { rowOf } from "./measurement.ts";
import { parts } from "./parts.ts";
import { writeReadmeFigures } from "./readme-figures.ts";
import { printRows } from "./report.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { before: { type: "string", default: revisionBefore }, write: { type: "boolean" } },
});
const unknown = positionals.find((name) => !(name in parts));
if (unknown) throw new Error(`There is no part ${unknown}, only ${Object.keys(parts).join(", ")}`);
const chosen = Object.entries(parts).filter(
  ([name]) => positionals.length === 0 || positionals.includes(name),
);

await using builds = await openBuilds(values.before);
const sections: Section[] = [];
const began = performance.now();
for (const [name, { title, measure }] of chosen) {
  const circumstances = describeCircumstances(builds.before && values.before);
  const start = performance.now();
  const rows = (await measure(builds)).map(rowOf);
  console.log(
    `\n${title} (${name}, ${((performance.now() - start) / 1000).toFixed(0)} s). ${circumstances}\n`,
  );
  printRows(rows);
  if (rows.length > 0) sections.push({ title, circumstances, rows });
}
console.log(`\nMeasured in ${((performance.now() - began) / 1000).toFixed(0)} s.`);
if (positionals.length === 0 || values.write) {
  writeReadmeFigures(sections);
  writeDocument(
    sections,
    Object.values(parts).map(({ title }) => title),
  );
}

function describeCircumstances(before: string | undefined): string {
  const [load = 0] = loadavg();
  const cores = availableParallelism();
  const isBusy = load > cores / 2;
  return [
    `${new Date().toISOString().slice(0, 10)}, ${madeFrom(repository)}`,
    before ? `, beside ${before}` : ", without a build before",
    `; Node ${process.versions.node}, ${cores} cores of ${cpus()[0]?.model.trim() ?? "an unknown processor"}`,
    `, load ${load.toFixed(1)}${isBusy ? ": the machine was busy, so take the times with caution" : ""}.`,
  ].join("");
}
