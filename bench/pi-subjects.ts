import { createRequire } from "node:module";
import type { ExtensionFactory } from "@earendil-works/pi-coding-agent";

/** How long the runs in Pi are. */
export const turns = 500;

export const subjects = ["without", "again", "empty", "listening", "ours"] as const;

/**
 * Pi without an extension, the same again (what it differs by is noise), with an extension that does nothing at all,
 * with one that listens to the same events as ours and does nothing, and with ours.
 */
export type PiSubject = (typeof subjects)[number];

const turnLimit: ExtensionFactory = createRequire(import.meta.url)("pi-turn-limit");

const listening: ExtensionFactory = (pi) => {
  const on = (event: "agent_start") => pi.on(event, () => undefined);
  return turnLimit(new Proxy(pi, { get: (target, key) => (key === "on" ? on : Reflect.get(target, key)) }));
};

export const extensionsOf: Record<PiSubject, ExtensionFactory[]> = {
  without: [],
  again: [],
  empty: [() => {}],
  listening: [listening],
  ours: [turnLimit],
};
