import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { repository } from "../scripts/installed-pi.ts";

const defaultRevision = "14b32b3";
const core = "packages/turn-limit";

/** Where the earlier build comes from: a folder with a built core, or a revision of this repository. */
export interface Before {
  folder?: string | undefined;
  revision?: string | undefined;
}

/** The addresses of the cores to compare, each bundled into one file in the same way. */
export interface Builds extends AsyncDisposable {
  now: string;
  before: string | undefined;
}

/** Bundles the core of this clone and an earlier one. */
export async function bundleBuilds({ folder, revision }: Before): Promise<Builds> {
  const entry = folder && builtIn(folder);
  const archive = entry ? undefined : sourceAt(revision);
  const temporary = await mkdtemp(join(tmpdir(), "turn-limit-builds-"));
  const before = entry ?? (archive && unpacked(archive, temporary));
  return {
    now: await bundled(builtIn(join(repository, core)), join(temporary, "now.mjs")),
    before: before && (await bundled(before, join(temporary, "before.mjs"))),
    [Symbol.asyncDispose]: () => rm(temporary, { recursive: true, force: true }),
  };
}

function builtIn(folder: string): string {
  const entry = join(folder, "dist", "index.js");
  if (!existsSync(entry))
    throw new Error(`${entry} does not exist. --before takes the folder of a built core.`);
  return entry;
}

/** The source of the core as a tar file. */
function sourceAt(wanted: string | undefined): Buffer | undefined {
  const revision = wanted ?? defaultRevision;
  const args = ["archive", revision, `${core}/src`];
  const { status, stdout, stderr, error } = spawnSync("git", args, {
    cwd: repository,
    maxBuffer: 100_000_000,
  });
  if (status === 0) return stdout;
  if (wanted) throw new Error(`git cannot read revision ${wanted}: ${error ?? stderr}`);
  console.log(
    `Left out: the build before. This clone does not have ${revision}; ` +
      "--before <folder> or --before-rev <revision> names another.",
  );
  return undefined;
}

function unpacked(archive: Buffer, folder: string): string {
  const { status, stderr, error } = spawnSync("tar", ["-x", "-C", folder], { input: archive });
  if (status !== 0) throw new Error(`tar cannot unpack the source: ${error ?? stderr}`);
  return join(folder, core, "src", "index.ts");
}

async function bundled(entry: string, outfile: string): Promise<string> {
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
