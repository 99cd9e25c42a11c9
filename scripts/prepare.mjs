// What npm runs after an install: builds the packages. An install without the tools for that, as Pi makes of a git
// address, is fine, too: Pi loads the extension from its sources.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

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

if (tools.some(isMissing)) {
  console.log("Nothing is built: the tools are not installed. Pi loads the extension from its sources.");
} else {
  const { status } = spawnSync("npm", ["run", "build", "--silent"], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  process.exitCode = status ?? 1;
}
