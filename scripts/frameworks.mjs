// Installs the other versions of the frameworks that the contract of the adapters is tried with, as the lock files in
// `frameworks` name them, if that has not happened yet. Written for whatever Node the machine has.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isInstalled } from "./is-installed.mjs";

const frameworks = join(dirname(dirname(fileURLToPath(import.meta.url))), "frameworks");

for (const name of ["oldest", "newest"]) {
  const cwd = join(frameworks, name);
  if (isInstalled(cwd)) continue;
  console.error(`Setting up the ${name} frameworks: npm install (once)`);
  const quietly = ["--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  const args = ["install", "--ignore-scripts", "--legacy-peer-deps", ...quietly];
  const { status, error } = spawnSync("npm", args, {
    cwd,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (error) console.error(`npm: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}
