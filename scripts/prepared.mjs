// Runs a command in a prepared clone: installs what the lock file names if that has not happened
// yet, builds the packages if they changed, then hands over. Written for whatever Node the machine has; the command
// itself runs on the Node that the install brings, and npm has no registry there.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isBuilt } from "./is-built.mjs";
import { isInstalled } from "./is-installed.mjs";
import { offline } from "./offline.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, "node_modules", ".bin");
const windows = process.platform === "win32";

/** @type {(command: string, args: string[], env?: Record<string, string>) => number} */
function run(command, args, env = {}) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: "inherit",
    shell: windows,
    env: { ...process.env, ...env, PATH: `${bin}${windows ? ";" : ":"}${process.env.PATH}` },
  });
  if (error) console.error(`${command}: ${error.message}`);
  return status ?? 1;
}

if (!isInstalled(root)) {
  console.error("Setting up: npm install (once)");
  // Not `npm ci`: it refuses a lock file when some other platform's optional binary is missing.
  // Without saving, so that an older npm does not rewrite the lock file in its own way.
  const status = run("npm", [
    "install",
    "--no-save",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    "--ignore-scripts=false",
  ]);
  if (status !== 0) process.exit(status);
}

if (!isBuilt(root)) {
  const status = run("npm", ["run", "build", "--silent"]);
  if (status !== 0) process.exit(status);
}

const [command = "node", ...args] = process.argv.slice(2);
process.exit(run(command, args, offline(root)));
