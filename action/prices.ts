import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * Installs the list of prices that the lock file in `folder` names, if it is not there. Without it a cost limit says what is
 * missing, and everything else works.
 */
export function installPrices(folder: string): void {
  if (existsSync(join(folder, "node_modules", "@pydantic", "genai-prices"))) return;
  const { status, stderr } = spawnSync(
    "npm",
    ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
    { cwd: folder, encoding: "utf8", shell: process.platform === "win32" },
  );
  if (status !== 0)
    console.log(
      `::warning title=No list of prices::Costs are not known: npm install failed. ${oneLine(stderr)}`,
    );
}

function oneLine(text: string | null): string {
  return (text ?? "")
    .trim()
    .replace(/\s*\n\s*/g, " · ")
    .slice(0, 300);
}
