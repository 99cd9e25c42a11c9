import type { Builds } from "./builds.ts";
import { messageFrom } from "./child.ts";
import { time, times } from "./format.ts";
import { workloads } from "./governor-workloads.ts";
import { meanRatio, median, ratio, type Samples } from "./statistics.ts";
import { printColumns } from "./table.ts";

/** `again` is the build before once more: what it differs by is noise. */
type Subject = "before" | "again" | "now";

// How fast code runs depends on what was loaded and compiled before it, so each order has its processes.
const orders: Subject[][] = [
  ["before", "again", "now"],
  ["now", "before", "again"],
  ["again", "now", "before"],
  ["now", "again", "before"],
  ["before", "now", "again"],
  ["again", "before", "now"],
];
const processes = 2 * orders.length;
const headings = ["governor, per turn", "build before", "this build", "times before", "noise: before again"];

/** The governor's time per turn, of this build beside an earlier one. */
export async function printGovernorTurns(builds: Builds): Promise<void> {
  const rows: string[][] = [];
  for (const name of Object.keys(workloads)) rows.push(await rowOf(name, builds));
  printColumns([headings, ...rows]);
}

async function rowOf(name: string, { now, before }: Builds): Promise<string[]> {
  const addresses: Partial<Record<Subject, string>> = before
    ? { before, again: `${before}?again`, now }
    : { now };
  const measured: Samples<Subject>[] = [];
  for (let index = 0; index < processes; index += 1) {
    const order = orders[index % orders.length]?.filter((subject) => subject in addresses) ?? [];
    const cores = Object.fromEntries(order.map((subject) => [subject, addresses[subject]]));
    const args = [name, JSON.stringify(cores)];
    // With one thread, processes differ less in when they compile and collect garbage.
    measured.push(await messageFrom("governor-process.ts", args, ["--single-threaded"]));
  }
  const typical = (subject: Subject) => time(median(measured.map((samples) => median(samples[subject]))));
  const timesBefore = (subject: Subject) =>
    times(meanRatio(measured.map((samples) => ratio(samples[subject], samples.before))));
  const what = workloads[name]?.what ?? name;
  return before
    ? [what, typical("before"), typical("now"), timesBefore("now"), timesBefore("again")]
    : [what, "", typical("now"), "", ""];
}
