// What npm runs after an install: builds the packages. An install without the tools for that, as Pi makes of a git
// address, builds the extension of Pi with nothing but Node.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const tools = ["esbuild", "typescript/package.json"];

/** @param {string} module */
function isMissing(module) {
  try {
    import.meta.resolve(module);
    return false;
  } catch {
    return true;
  }
}

/** @type {(command: string, args: string[], shell?: boolean) => number} */
function run(command, args, shell = false) {
  return spawnSync(command, args, { cwd: root, stdio: "inherit", shell }).status ?? 1;
}

if (!tools.some(isMissing)) {
  process.exitCode = run("npm", ["run", "build", "--silent"], process.platform === "win32");
} else if (run(process.execPath, ["packages/pi-turn-limit/build-without-tools.mjs"]) !== 0) {
  // Not a failure: an older Node cannot do it, and the extension works all the same.
  console.log("Nothing is built. Pi loads the extension from its sources.");
}
