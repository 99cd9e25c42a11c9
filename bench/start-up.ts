import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  createSandbox,
  findHosts,
  type PiHost,
  runPrint,
  type Sandbox,
  says,
  startScriptedModel,
} from "@turn-limit/rig";
import { installedPi } from "../scripts/installed-pi.ts";
import { type Builds, buildsByName } from "./builds.ts";
import type { Measurement } from "./measurement.ts";
import { interleaved } from "./statistics.ts";

const goalMs = 8;
const seconds = 110;

/** How long Pi takes from its start to its end, for a model that answers at once. */
export async function startUp(builds: Builds): Promise<Measurement[]> {
  const { hosts, missing } = await findHosts();
  for (const { name, why } of missing) console.log(`Left out: start-up of ${name}. ${why}`);
  const measurements: Measurement[] = [];
  for (const host of hosts) {
    measurements.push(await startUpOf(asPeopleStartIt(host), builds, seconds / hosts.length));
  }
  return measurements;
}

async function startUpOf(host: PiHost, builds: Builds, seconds: number): Promise<Measurement> {
  await using model = await startScriptedModel(() => says("Hello."));
  await using sandbox = await createSandbox({ baseUrl: model.baseUrl });
  const args: Record<string, string[]> = { none: [], empty: ["-e", await emptyExtension(sandbox)] };
  for (const [name, { extension }] of Object.entries(buildsByName(builds))) args[name] = ["-e", extension];
  const ms = await interleaved(Object.keys(args), { warmUp: 2, measured: 25, seconds }, async (subject) => {
    const start = performance.now();
    const { code, stderr } = await runPrint({ host, sandbox, args: args[subject] ?? [], prompt: "Hi." });
    const elapsed = performance.now() - start;
    if (code !== 0) throw new Error(`${host.name} ended with ${code}: ${stderr}`);
    return elapsed;
  });
  const { none = [], empty = [], now = [], before } = ms;
  return {
    figure: `${host.name}, from its start to its end`,
    unit: "ms",
    now,
    before,
    base: { name: "no extension", samples: none },
    floor: { name: "an empty extension", samples: empty },
    goal: { atMost: goalMs, compared: "more", than: "floor" },
  };
}

/** The time that Pi needs for any extension at all. */
async function emptyExtension({ root }: Sandbox): Promise<string> {
  const path = join(root, "empty.cjs");
  await writeFile(path, "module.exports = () => {};\n");
  return path;
}

function asPeopleStartIt(host: PiHost): PiHost {
  const installed = installedPi();
  return host.version === installed.version ? installed : host;
}
