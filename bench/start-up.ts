import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Clone,
  cloneOfRepository,
  createSandbox,
  findHosts,
  type PiHost,
  runPrint,
  type Sandbox,
  says,
  startScriptedModel,
} from "@turn-limit/rig";
import { installedPi } from "../scripts/installed-pi.ts";
import { type Build, type Builds, buildsByName } from "./builds.ts";
import { emptyHooksOf } from "./empty-hooks.ts";
import type { Measurement } from "./measurement.ts";
import { interleaved } from "./statistics.ts";

const goalMs = 8;
const seconds = 170;

/** How long Pi takes from its start to its end, for a model that answers at once. */
export async function startUp(builds: Builds): Promise<Measurement[]> {
  const { hosts, missing } = await findHosts();
  for (const { name, why } of missing) console.log(`Left out: start-up of ${name}. ${why}`);
  const measurements: Measurement[] = [];
  await using installed = await cloneOfRepository();
  await using withoutScripts = await cloneOfRepository();
  runInstallScript(installed);
  const clones = { installed: installed.folder, "without scripts": withoutScripts.folder };
  for (const host of hosts) {
    measurements.push(...(await startUpOf(asPeopleStartIt(host), builds, clones, seconds / hosts.length)));
  }
  return measurements;
}

/** What npm runs in the clone that `pi install` makes: there are no development tools. */
function runInstallScript({ folder }: Clone): void {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/prepare.mjs"], { cwd: folder });
  if (status !== 0) throw new Error(`The install script ended with ${status}: ${stderr}`);
}

async function startUpOf(
  host: PiHost,
  builds: Builds,
  clones: Record<string, string>,
  seconds: number,
): Promise<Measurement[]> {
  await using model = await startScriptedModel(() => says("Hello."));
  await using sandbox = await createSandbox({ baseUrl: model.baseUrl });
  const args: Record<string, string[]> = {
    none: [],
    empty: ["-e", await extensionIn(sandbox, "empty", "")],
    hooks: ["-e", await extensionIn(sandbox, "hooks", emptyHooksOf(builds.now))],
    loaded: ["-e", await extensionIn(sandbox, "loaded", "", builds.now)],
  };
  for (const [name, { extension }] of Object.entries(buildsByName(builds))) args[name] = ["-e", extension];
  for (const [name, folder] of Object.entries(clones)) args[name] = ["-e", folder];
  const ms = await interleaved(Object.keys(args), { warmUp: 2, measured: 25, seconds }, async (subject) => {
    const start = performance.now();
    const { code, stderr } = await runPrint({ host, sandbox, args: args[subject] ?? [], prompt: "Hi." });
    const elapsed = performance.now() - start;
    if (code !== 0) throw new Error(`${host.name} ended with ${code}: ${stderr}`);
    return elapsed;
  });
  const { none = [], empty = [], hooks = [], loaded = [], now = [], before, installed = [] } = ms;
  const base = { name: "no extension", samples: none };
  const floor = { name: "an empty extension", samples: empty };
  const goal = { atMost: goalMs, compared: "more", than: "floor" } as const;
  const unit = "ms";
  return [
    { figure: `${host.name}, from its start to its end`, unit, now, before, base, floor, goal },
    { figure: `${host.name}, installed from a git address`, unit, now: installed, base, floor, goal },
    {
      figure: `${host.name}, installed from a git address without install scripts`,
      unit,
      now: ms["without scripts"] ?? [],
      base,
      floor,
      goal,
    },
    { figure: `${host.name}, an extension whose hooks are empty`, unit, now: hooks, base, floor },
    { figure: `${host.name}, our code loaded, and nothing of it called`, unit, now: loaded, base, floor },
  ];
}

/**
 * An extension that does this. An empty one takes the time that Pi needs for any extension at all. `loads`: the code of a
 * build, of which it calls nothing.
 */
async function extensionIn({ root }: Sandbox, name: string, code: string, loads?: Build): Promise<string> {
  const path = join(root, `${name}.cjs`);
  const loading = loads
    ? `require(${JSON.stringify(join(loads.extension, "dist", "turn-limit.cjs"))});\n`
    : "";
  await writeFile(path, `${loading}module.exports = (pi) => {\n${code}\n};\n`);
  return path;
}

function asPeopleStartIt(host: PiHost): PiHost {
  const installed = installedPi();
  return host.version === installed.version ? installed : host;
}
