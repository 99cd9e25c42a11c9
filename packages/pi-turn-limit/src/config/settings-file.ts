import { readFileSync } from "node:fs";
import { boundaryStyle, isFamily, type LimitTable, type PiLimit, piLimits } from "../limits/pi-limits.ts";
import type { Setting } from "../limits/setting.ts";
import { either, refusal, unknownSetting } from "./problems.ts";
import { type Entry, isObject, type Path, type Settings, settingsFrom } from "./settings.ts";

/** A `turn-limit.json` as it was when it was read. A file that is not there is an empty one. */
export interface SettingsFile {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** What is wrong with the file as a whole, in a sentence for the person. */
  readonly problems: readonly string[];
}

/** The keys that any settings file may have. */
export function keysOfFiles(table: LimitTable = piLimits): string[] {
  return [...table.map(({ key }) => key), "boundary"];
}

/** Reads the file; must not throw. */
export function readSettingsFile(path: string, knownKeys: readonly string[]): SettingsFile {
  const nothing = (...problems: string[]) => ({ path, values: {}, problems });
  let text: string;
  try {
    text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    const missing = ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
    return missing ? nothing() : nothing(`Cannot read ${path}: ${(error as Error).message}. It is ignored.`);
  }
  try {
    const values: unknown = JSON.parse(text);
    if (!isObject(values))
      return nothing(`${path} must hold a JSON object, such as { "turns": 25 }. It is ignored.`);
    const unknown = Object.keys(values).filter((key) => key !== "$schema" && !knownKeys.includes(key));
    return { path, values, problems: unknown.map((key) => unknownSetting(key, path, knownKeys)) };
  } catch (error) {
    return nothing(`${path} is not valid JSON: ${(error as Error).message}. It is ignored.`);
  }
}

/** What a settings file says about the limits, and what was refused. A bad setting leaves the others as they are. */
export function settingsIn(
  { path: file, values }: Pick<SettingsFile, "path" | "values">,
  table: LimitTable = piLimits,
): { settings: Settings; problems: string[] } {
  const entries: Entry[] = [];
  const problems: string[] = [];

  function read(path: Path, setting: Setting, noun: string, value: unknown): void {
    const said = setting.read(value);
    if (said !== undefined) entries.push([path, said]);
    else refuse(setting.name(noun), value, path, setting.allowed);
  }

  function refuse(name: string, value: unknown, path: Path, allowed: readonly string[]): void {
    problems.push(refusal(name, value, `"${path.join(".")}" of ${file}`, either(allowed)));
  }

  function readLimit(path: Path, { settings, noun }: PiLimit, value: unknown, needsMax = false): void {
    const names = Object.keys(settings);
    const said = isObject(value) ? Object.keys(value) : [];
    if (isObject(value) && said.length > 0 && (!needsMax || said.includes("max"))) {
      for (const name of said) {
        const setting = Object.hasOwn(settings, name) ? settings[name] : undefined;
        if (setting) read([...path, name], setting, noun, value[name]);
        else problems.push(unknownSetting([...path, name].join("."), file, names));
      }
      return;
    }
    const max = settings.max.read(value);
    const object = `{ ${names.map((name) => `"${name}": …`).join(", ")} }`;
    if (max !== undefined) entries.push([[...path, "max"], max]);
    else refuse(settings.max.name(noun), value, path, [...settings.max.allowed, object]);
  }

  for (const row of table) {
    const value = values[row.key];
    if (value === undefined) continue;
    if (!isFamily(row)) readLimit([row.key], row, value);
    else if (!isObject(value)) {
      refuse(`${row.noun} limits`, value, [row.key], [`{ "name of the ${row.noun}": …, … }`]);
    } else {
      for (const name of Object.keys(value)) readLimit([row.key, name], row.member(name), value[name], true);
    }
  }
  if (values.boundary !== undefined) read(["boundary"], boundaryStyle, "", values.boundary);
  return { settings: settingsFrom(entries), problems };
}
