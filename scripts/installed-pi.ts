import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PiHost } from "@turn-limit/rig";

/** The folder of the repository. */
export const repository = dirname(dirname(fileURLToPath(import.meta.url)));

/** The extension as `pi -e` takes it. */
export const extension = join(repository, "packages", "pi-turn-limit");

/** The Pi that `npm install` brought, started as its `pi` command starts it. */
export function installedPi(): PiHost {
  const folder = join(repository, "node_modules", "@earendil-works", "pi-coding-agent");
  const { version, bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return { name: `Pi ${version}`, version, cli: join(folder, bin.pi) };
}
