import {
  type Entry,
  entriesOf,
  isObject,
  type Path,
  type Settings,
  settingAt,
  settingsFrom,
} from "./settings.ts";

/**
 * The settings in a session entry. A session file can be edited by anyone, so what is not valid is left out. Versions
 * up to 0.1.0 wrote other keys: `turns`, `grace`, `steps`, `tokens.max`, `tools.bash`.
 */
export function entrySettings(data: unknown): Settings {
  if (!isObject(data)) return {};
  const entries = Object.entries(data).flatMap(([key, value]): Entry[] => {
    const path = pathIn(key);
    return isObject(value) ? entriesOf(value, path) : [[path, value]];
  });
  const known = entries.map(([path, value]): Entry => [withMax(path), value]);
  return settingsFrom(known.filter(([path, value]) => settingAt(path)?.setting.isValid(value)));
}

function pathIn(key: string): Path {
  if (key === "grace") return ["turns", "grace"];
  const dot = key.indexOf(".");
  return dot < 0 ? [key] : [key.slice(0, dot), key.slice(dot + 1)];
}

/** A limit without the name of a setting is its maximum. */
function withMax(path: Path): Path {
  return settingAt([...path, "max"]) ? [...path, "max"] : path;
}
