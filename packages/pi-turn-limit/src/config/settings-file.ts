import { boundaryStyle, isFamily, type LimitTable, type PiLimit, piLimits } from "../limits/pi-limits.ts";
import type { Setting } from "../limits/setting.ts";
import { either, refusal, unknownSetting } from "./problems.ts";
import { readJsonObject } from "./read-json-object.ts";
import { type Entry, isObject, type Path, type Settings, settingsFrom } from "./settings.ts";

/** A `turn-limit.json` as it was when it was read. A file that is not there is an empty one. */
export interface SettingsFile {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** What is wrong with the file as a whole, in sentences for the person. */
  readonly problems: readonly string[];
  /** Its keys that are no settings: misspelt limits, perhaps. */
  readonly unknown?: readonly string[];
  /** It could not be read, and so nobody knows which limits it sets. */
  readonly isBroken?: boolean;
}

/** The keys that any settings file may have. */
export function keysOfFiles(table: LimitTable = piLimits): string[] {
  return [...table.map(({ key }) => key), "boundary"];
}

/** Reads the file; must not throw. */
export function readSettingsFile(path: string, knownKeys: readonly string[]): SettingsFile {
  const file = readJsonObject(path);
  if ("problem" in file) return { path, values: {}, problems: [file.problem], isBroken: true };
  const unknown = Object.keys(file.values).filter((key) => key !== "$schema" && !knownKeys.includes(key));
  return {
    path,
    values: file.values,
    unknown,
    problems: unknown.map((key) => unknownSetting(key, knownKeys)),
  };
}

/**
 * What a settings file says about the limits, and what was refused. A bad setting leaves the others as they are.
 * `refused`: the maximums that could not be read, or a family of limits.
 */
export function settingsIn(
  { values }: Pick<SettingsFile, "values">,
  table: LimitTable = piLimits,
): { settings: Settings; problems: string[]; refused: Path[] } {
  const entries: Entry[] = [];
  const problems: string[] = [];
  const refused: Path[] = [];

  function read(path: Path, setting: Setting, noun: string, value: unknown): void {
    const said = setting.read(value);
    if (said !== undefined) entries.push([path, said]);
    else {
      refuse(setting.name(noun), value, path, setting.allowed);
      if (path.at(-1) === "max") refused.push(path);
    }
  }

  function refuse(name: string, value: unknown, path: Path, allowed: readonly string[]): void {
    problems.push(`"${path.join(".")}": ${refusal(name, value, either(allowed))}`);
  }

  function readLimit(path: Path, { settings, noun }: PiLimit, value: unknown, needsMax = false): void {
    const names = Object.keys(settings);
    const said = isObject(value) ? Object.keys(value) : [];
    if (isObject(value) && said.length > 0 && (!needsMax || said.includes("max"))) {
      for (const name of said) {
        const setting = Object.hasOwn(settings, name) ? settings[name] : undefined;
        if (setting) read([...path, name], setting, noun, value[name]);
        else problems.push(unknownSetting(name, names, path));
      }
      // It may be the maximum that is misspelt.
      if (!said.includes("max") && said.some((name) => !names.includes(name))) refused.push([...path, "max"]);
      return;
    }
    const max = settings.max.read(value);
    const object = `{ ${names.map((name) => `"${name}": …`).join(", ")} }`;
    if (max !== undefined) entries.push([[...path, "max"], max]);
    else {
      refuse(settings.max.name(noun), value, path, [...settings.max.allowed, object]);
      refused.push([...path, "max"]);
    }
  }

  for (const row of table) {
    const value = values[row.key];
    if (value === undefined) continue;
    if (!isFamily(row)) readLimit([row.key], row, value);
    else if (!isObject(value)) {
      refuse(`list of ${row.noun} limits`, value, [row.key], [`{ "name of the ${row.noun}": …, … }`]);
      refused.push([row.key]);
    } else {
      for (const name of Object.keys(value)) readLimit([row.key, name], row.member(name), value[name], true);
    }
  }
  if (values.boundary !== undefined) read(["boundary"], boundaryStyle, "", values.boundary);
  return { settings: settingsFrom(entries), problems, refused };
}
