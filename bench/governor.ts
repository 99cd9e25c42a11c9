import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { type Build, type Builds, buildsByName } from "./builds.ts";
import { messageFrom } from "./child.ts";
import { workloads } from "./governor-workloads.ts";
import type { Measurement } from "./measurement.ts";
import { median, type Samples } from "./statistics.ts";
import { temporaryFolder } from "./temporary-folder.ts";

type Subject = "now" | "before";

const processes = 8;
const goals: Record<string, number> = { plain: 300 };

/** The governor's time per turn, without a host around it. */
export async function governor(builds: Builds): Promise<Measurement[]> {
  await using folder = await temporaryFolder();
  const addresses: Record<string, string> = {};
  for (const [name, built] of Object.entries(buildsByName(builds))) {
    addresses[name] = await bundled(built, join(folder.path, `${name}.mjs`));
  }
  const measurements: Measurement[] = [];
  for (const [name, { what }] of Object.entries(workloads)) {
    const { now, before } = await typicalSamples(name, addresses);
    const goal = goals[name];
    measurements.push({
      figure: `A turn, ${what}`,
      unit: "ns",
      now,
      before: builds.before && before,
      goal: goal ? { atMost: goal } : undefined,
    });
  }
  return measurements;
}

/** One sample of each build per process: processes differ more from each other than the rounds of one. */
async function typicalSamples(
  workload: string,
  addresses: Record<string, string>,
): Promise<Samples<Subject>> {
  const samples: Samples<Subject> = { now: [], before: [] };
  for (let index = 0; index < processes; index += 1) {
    // How fast code runs depends on what was loaded and compiled before it, so each order has its processes.
    const order = Object.keys(addresses).toSorted((a, b) =>
      index % 2 ? a.localeCompare(b) : b.localeCompare(a),
    );
    const cores = Object.fromEntries(order.map((name) => [name, addresses[name]]));
    const args = [workload, JSON.stringify(cores)];
    // With one thread, processes differ less in when they compile and collect garbage.
    const ns = await messageFrom<Samples<Subject>>("governor-process.ts", args, ["--single-threaded"]);
    samples.now.push(median(ns.now));
    if (ns.before) samples.before.push(median(ns.before));
  }
  return samples;
}

/** The core as one file, so that no build is faster because of how it is cut into files. */
async function bundled({ core }: Build, outfile: string): Promise<string> {
  const entry = join(core, "dist", "index.js");
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "es2023",
  });
  return pathToFileURL(outfile).href;
}
