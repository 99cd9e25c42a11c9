import { access, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A Pi that can be run. */
export interface PiHost {
  name: string;
  version: string;
  /** The script that Node runs. */
  cli: string;
}

/** A version of Pi that should be tested and is not installed. */
export interface MissingHost {
  name: string;
  why: string;
}

/** The hosts that were found, and those that are missing. */
export interface Hosts {
  /** From the oldest to the newest. */
  hosts: PiHost[];
  missing: MissingHost[];
}

const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Both come with `npm install`, pinned by the lock file. */
const candidates = [
  { name: "Pi 0.87.1", packageFolder: "@earendil-works/pi-coding-agent" },
  { name: "Pi 1.5.0", packageFolder: "pi-1.5" },
];

let found: Promise<Hosts> | undefined;

/**
 * Finds the Pi versions to test against, among what is installed. Fetches nothing.
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
  for (const { name, packageFolder } of candidates) {
    try {
      hosts.push(await hostIn(join(repository, "node_modules", packageFolder)));
    } catch (error) {
      missing.push({ name, why: error instanceof Error ? error.message : String(error) });
    }
  }
  return { hosts, missing };
}

async function hostIn(packageFolder: string): Promise<PiHost> {
  const { version, bin } = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8"));
  const cli = join(packageFolder, bin.pi);
  await access(cli);
  return { name: `Pi ${version}`, version, cli };
}
