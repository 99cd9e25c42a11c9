import { findHosts, type PiHost, tmuxAvailable } from "@turn-limit/rig";
import { describe, test } from "vitest";

const { hosts, missing } = await findHosts();
const slowest = 60_000;

/** Describes the same behaviour on every Pi that should be tested. One that cannot be had is left out, loudly. */
export function onEachHost(define: (host: PiHost) => void): void {
  for (const { name, why } of missing) leaveOut(name, why);
  describe.each(hosts)("$name", { timeout: slowest, concurrent: true }, define);
}

/** As `onEachHost`, for what only a person at a terminal can see. */
export async function onEachTerminal(define: (host: PiHost) => void): Promise<void> {
  if (await tmuxAvailable()) onEachHost(define);
  else leaveOut("The terminal", "there is no tmux");
}

function leaveOut(what: string, why: string): void {
  const notice = `LEFT OUT: ${what}: ${why}`;
  console.error(notice);
  if (process.env.CI !== "true") test.skip(notice);
  else
    test(notice, () => {
      throw new Error(`${notice}. Under CI=true every part must be tested.`);
    });
}
