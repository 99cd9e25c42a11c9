import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Whether a folder has everything that its lock file names, at those versions. What is optional may be missing,
 * because it may be for another platform.
 *
 * @param {string} folder
 */
export function isInstalled(folder) {
  const marker = join(folder, "node_modules", ".package-lock.json");
  if (!existsSync(marker)) return false;
  const wanted = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")).packages;
  const present = JSON.parse(readFileSync(marker, "utf8")).packages;
  return Object.entries(wanted).every(
    ([path, entry]) =>
      path === "" ||
      entry.optional ||
      entry.link ||
      !path.includes("node_modules/") ||
      present[path]?.version === entry.version,
  );
}
