import { rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { ExtensionFactory } from "@earendil-works/pi-coding-agent";
import type { Build } from "./builds.ts";

/** How long the runs in Pi are. */
export const turns = 500;

/**
 * Pi without an extension, with one that listens to the same events as ours and does nothing, with each build of ours, and
 * with ours where the session is not listed.
 */
export type PiSubject = "without" | "listening" | "now" | "before" | "unseen";

/** Opens a session of a subject. Its settings are read meanwhile, and not again. */
export async function openedAs<Opened>(
  subject: string,
  folder: string,
  open: () => Promise<Opened>,
): Promise<Opened> {
  if (subject !== "unseen") return open();
  const settings = join(folder, "turn-limit.json");
  writeFileSync(settings, JSON.stringify({ listed: false }));
  try {
    return await open();
  } finally {
    rmSync(settings);
  }
}

/** The extensions of each subject, from the builds by name. */
export function extensionsFrom(builds: Record<string, Build>): Record<string, ExtensionFactory[]> {
  // A folder cannot be required by what its package exports.
  const load = (folder: string) => createRequire(join(folder, "package.json"))("./dist/turn-limit.cjs");
  const ours = Object.entries(builds).map(([name, { extension }]): [string, ExtensionFactory[]] => [
    name,
    [load(extension)],
  ]);
  const now: ExtensionFactory = load(builds.now?.extension ?? "");
  const listening: ExtensionFactory = (pi) => {
    const on = (event: "agent_start") => pi.on(event, () => undefined);
    return now(new Proxy(pi, { get: (target, key) => (key === "on" ? on : Reflect.get(target, key)) }));
  };
  return { without: [], listening: [listening], ...Object.fromEntries(ours), unseen: [now] };
}
