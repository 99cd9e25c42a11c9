// Installs the coding agents that the tests of `turn-limit run` start, as the lock file in `agents` names them, if that
// has not happened yet. Written for whatever Node the machine has.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isInstalled } from "./is-installed.mjs";

const agents = join(dirname(dirname(fileURLToPath(import.meta.url))), "agents");
const folders = [agents, join(agents, "other-versions")];

// Two agents put their program, which is a package of its own for each platform, in the place of a small stand-in.
const links = [
  { folder: "@anthropic-ai/claude-code", script: "install.cjs", program: "bin/claude.exe" },
  { folder: "opencode-ai", script: "postinstall.mjs", program: "bin/opencode.exe" },
];
const smallestProgram = 10_000_000;

/** @type {(command: string, args: string[], cwd: string) => void} */
function run(command, args, cwd) {
  const shell = process.platform === "win32";
  const { status, error } = spawnSync(command, args, { cwd, stdio: "inherit", shell });
  if (error) console.error(`${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

/** @type {(modules: string, link: { folder: string, program: string }) => boolean} */
function isLinked(modules, { folder, program }) {
  const found = statSync(join(modules, folder, program), { throwIfNoEntry: false });
  return found !== undefined && found.size > smallestProgram;
}

for (const folder of folders) {
  if (!isInstalled(folder)) {
    console.error("Setting up coding agents: npm install (once, about 500 MB)");
    // No install scripts: they would build modules that nothing here needs.
    const quietly = ["--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
    run("npm", ["install", "--ignore-scripts", "--include=optional", ...quietly], folder);
  }
  const modules = join(folder, "node_modules");
  for (const link of links)
    if (!isLinked(modules, link)) run(process.execPath, [link.script], join(modules, link.folder));
}
