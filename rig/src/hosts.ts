import { access, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fetchPi } from "./fetch-pi.ts";

/** A Pi that can be run. */
export interface PiHost {
  name: string;
  version: string;
  /** The script that Node runs. */
  cli: string;
}

/** A Pi that should be tested and cannot be had here. */
export interface MissingHost {
  name: string;
  why: string;
}

/** The hosts found and the ones that could not be had. */
export interface Hosts {
  hosts: PiHost[];
  missing: MissingHost[];
}

const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const candidates: { name: string; find: () => Promise<PiHost> }[] = [
  {
    name: "Pi 0.87.1",
    find: () =>
      hostIn(join(repository, "node_modules", "@earendil-works", "pi-coding-agent"), "dist/bundle/cli.js"),
  },
  {
    name: "Pi 1.5.0",
    find: async () => {
      const folder = await fetchPi("1.5.0", join(repository, ".hosts"));
      return hostIn(join(folder, "package"), "dist/bundle/cli.js");
    },
  },
];

let found: Promise<Hosts> | undefined;

/**
 * Finds the Pi versions to test against, and fetches once what npm cannot install.
 *
 * @example
 * const { hosts, missing } = await findHosts();
 */
export function findHosts(): Promise<Hosts> {
  found ??= lookForAll();
  return found;
}

async function lookForAll(): Promise<Hosts> {
  const hosts: PiHost[] = [];
  const missing: MissingHost[] = [];
  for (const { name, find } of candidates) {
    try {
      hosts.push(await find());
    } catch (error) {
      missing.push({ name, why: error instanceof Error ? error.message : String(error) });
    }
  }
  return { hosts, missing };
}

async function hostIn(packageFolder: string, script: string): Promise<PiHost> {
  const { version } = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8"));
  const cli = join(packageFolder, script);
  await access(cli);
  return { name: `Pi ${version}`, version, cli };
}
