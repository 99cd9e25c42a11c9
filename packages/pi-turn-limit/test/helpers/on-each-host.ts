import { findHosts, type PiHost, tmuxAvailable } from "@turn-limit/rig";
import { describe, test } from "vitest";

type Define = (host: PiHost) => void;

const { hosts, missing } = await findHosts();

/**
 * Describes the same behaviour on every Pi that should be tested. One that cannot be had is left out, loudly.
 *
 * For what Pi decides: when turns, retries, compactions, aborts, queued messages and sub-agents begin and end, how a
 * question is asked and answered, what lasts over a reload or a resumed session.
 */
export function onEachHost(define: Define): void {
  for (const { name, why } of missing) leaveOut(name, why);
  describeOn(hosts, define);
}

/**
 * Describes a behaviour on the newest Pi alone.
 *
 * For what the extension decides by itself: how flags, variables, commands and settings files are read or refused, the
 * words of notices, panels and statistics, variants of what `onEachHost` shows.
 */
export function onNewestHost(define: Define): void {
  for (const { name, why } of missing) leaveOut(name, why);
  describeOn(hosts.slice(-1), define);
}

/** As `onEachHost`, for what only a person at a terminal can see. */
export function onEachTerminal(define: Define): Promise<void> {
  return onTerminal(onEachHost, define);
}

/** As `onNewestHost`, for what only a person at a terminal can see. */
export function onNewestTerminal(define: Define): Promise<void> {
  return onTerminal(onNewestHost, define);
}

function describeOn(chosen: readonly PiHost[], define: Define): void {
  describe.each(chosen)("$name", { concurrent: true }, define);
}

async function onTerminal(on: (define: Define) => void, define: Define): Promise<void> {
  if (await tmuxAvailable()) on(define);
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
