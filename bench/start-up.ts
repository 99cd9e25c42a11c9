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
import { extension, installedPi } from "../scripts/installed-pi.ts";
import { excessInterval, interleaved, median } from "./statistics.ts";
import { type Result, verdictOf } from "./table.ts";

const rounds = { warmUp: 2, measured: 25 };
const goalMs = 8;

/** How long Pi takes from its start to its end, for a model that answers at once. */
export async function startUp(): Promise<Result[]> {
  const { hosts, missing } = await findHosts();
  for (const { name, why } of missing) console.log(`Left out: start-up of ${name}. ${why}`);
  const results: Result[] = [];
  for (const host of hosts) results.push(...(await startUpOf(asPeopleStartIt(host))));
  return results;
}

async function startUpOf(host: PiHost): Promise<Result[]> {
  await using model = await startScriptedModel(() => says("Hello."));
  await using sandbox = await createSandbox({ baseUrl: model.baseUrl });
  const args = { none: [], empty: ["-e", await emptyExtension(sandbox)], ours: ["-e", extension] };
  const ms = await interleaved(["none", "empty", "ours"], rounds, async (subject) => {
    const start = performance.now();
    const { code, stderr } = await runPrint({ host, sandbox, args: args[subject], prompt: "Hi." });
    const elapsed = performance.now() - start;
    if (code !== 0) throw new Error(`${host.name} ended with ${code}: ${stderr}`);
    return elapsed;
  });

  const compared = (what: string, measured: number[], base: number[], goal?: number): Result => {
    const more = excessInterval(measured, base);
    return {
      what: `${host.name} start-up, ${what}`,
      without: milliseconds(median(base)),
      measured: milliseconds(median(measured)),
      difference: `${milliseconds(more.middle)} more (${more.low.toFixed(1)} to ${more.high.toFixed(1)})`,
      ...(goal !== undefined && {
        goal: { text: `at most ${goal} ms more`, verdict: verdictOf(more, goal) },
      }),
    };
  };
  return [
    compared("with turn-limit", ms.ours, ms.none),
    compared("an empty extension", ms.empty, ms.none),
    compared("turn-limit over an empty one", ms.ours, ms.empty, goalMs),
  ];
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

function milliseconds(ms: number): string {
  return `${ms.toFixed(1)} ms`;
}
