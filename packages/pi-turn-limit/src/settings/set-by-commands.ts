import { randomUUID } from "node:crypto";
import type { CustomEntry, SessionEntry } from "@earendil-works/pi-coding-agent";
import { DEFAULT } from "./format-limit.ts";
import {
  type Entry,
  entriesOf,
  isObject,
  merged,
  type Path,
  type Settings,
  settingAt,
  settingsFrom,
} from "./settings.ts";

/** The kind of session entry in which a command's settings are kept. */
export const COMMAND_ENTRY = "turn-limit:set";

/** What commands have set in a session: since Pi was started, and before that. */
export interface SetByCommands {
  readonly now: Settings;
  readonly earlier: Settings;
}

// On the process: a reload loads the module again.
const START = Symbol.for("pi-turn-limit.start");
const shared = globalThis as { [START]?: string };

/** The same settings, marked as said since Pi was started. What is said again later keeps the mark that it has. */
export function saidNow(settings: Settings): Settings {
  return { ...settings, [MARK]: thisStart() };
}

const MARK = "start";

function thisStart(): string {
  shared[START] ??= randomUUID();
  return shared[START];
}

function isOfThisStart(data: unknown): boolean {
  return isObject(data) && data[MARK] === thisStart();
}

/** What commands said in these entries. */
export function saidIn(entries: readonly SessionEntry[]): unknown[] {
  const said = entries.filter((entry) => entry.type === "custom" && entry.customType === COMMAND_ENTRY);
  return said.map((entry) => (entry as CustomEntry).data);
}

/** What has been set when commands have said this; the last word counts. */
export function setBy(said: readonly unknown[]): SetByCommands {
  const now = said.filter(isOfThisStart).reduce<Settings>(after, {});
  const earlier = said.reduce<Settings>(
    (set, data) => (isOfThisStart(data) ? withoutTakenBack(set, data) : after(set, data)),
    {},
  );
  return { now, earlier };
}

function after(set: Settings, data: unknown): Settings {
  return merged(withoutTakenBack(set, data), entrySettings(data));
}

function withoutTakenBack(set: Settings, data: unknown): Settings {
  // The word stands in place of a limit. Versions up to 0.1.0 leave it out.
  const takenBack = isObject(data) ? entriesOf(data).filter(([, value]) => value === DEFAULT) : [];
  const kept = entriesOf(set).filter(
    ([path]) => !takenBack.some(([limit]) => limit.every((key, index) => key === path[index])),
  );
  return settingsFrom(kept);
}

/**
 * The settings in a session entry. A session file can be edited by anyone, so what is not valid is left out. Versions
 * up to 0.1.0 wrote other keys: `turns`, `grace`, `steps`, `tokens.max`, `tools.bash`.
 */
export function entrySettings(data: unknown): Settings {
  if (!isObject(data)) return {};
  const entries = Object.entries(data).flatMap(([key, value]): Entry[] => {
    const path = pathSaidBy(key);
    return isObject(value) ? entriesOf(value, path) : [[path, value]];
  });
  const known = entries.map(([path, value]): Entry => [withMax(path), value]);
  return settingsFrom(known.filter(([path, value]) => settingAt(path)?.setting.isValid(value)));
}

function pathSaidBy(key: string): Path {
  if (key === "grace") return ["turns", "grace"];
  const dot = key.indexOf(".");
  return dot < 0 ? [key] : [key.slice(0, dot), key.slice(dot + 1)];
}

/** A limit without the name of a setting is its maximum. */
function withMax(path: Path): Path {
  return settingAt([...path, "max"]) ? [...path, "max"] : path;
}
