import { invalid, isPercentile, NOT_OF_RUNS, nearestWord, PER, whyNoPercentile } from "../core.ts";
import { limitAt, limitPer } from "../limits/limit-of.ts";
import { nameWithPeriod, PERIODS, type Period, periodCalled, perText } from "../limits/periods.ts";
import { isFamily, type PiLimit, pathOf } from "../limits/pi-limit.ts";
import { boundaryStyle, limitTable } from "../limits/pi-limits.ts";
import type { Setting } from "../limits/setting.ts";
import { either, refusal, unknownSetting } from "./problems.ts";
import { readJsonObject } from "./read-json-object.ts";
import { type Entry, isObject, type Path, pathTo, type Settings, settingsFrom } from "./settings.ts";

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
export function keysOfFiles(): string[] {
  return [...limitTable.map(({ key }) => key), "boundary"];
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
 * `refused`: the maximums that could not be read, a family of limits, or a limit whose period could not be read.
 */
export function settingsIn({ values }: Pick<SettingsFile, "values">): {
  settings: Settings;
  problems: string[];
  refused: Path[];
} {
  const entries: Entry[] = [];
  const problems: string[] = [];
  const refused: Path[] = [];

  function read(path: Path, shown: Path, setting: Setting, noun: string, value: unknown): void {
    const said = setting.read(value);
    if (said !== undefined) entries.push([path, said]);
    else {
      if (path.at(-1) === "max") {
        refuseMax(limitAt(path.slice(0, -1)), setting, noun, value, shown);
        refused.push(path);
      } else refuse(setting.name(noun), value, shown, setting.allowed);
    }
  }

  function refuse(name: string, value: unknown, shown: Path, allowed: readonly string[]): void {
    problems.push(`"${shown.join(".")}": ${refusal(name, value, either(allowed))}`);
  }

  function refuseMax(
    limit: PiLimit | undefined,
    setting: Setting,
    noun: string,
    value: unknown,
    shown: Path,
  ): void {
    const why = typeof value === "string" && limit && whyNotPercentile(value, limit);
    if (why) problems.push(`"${shown.join(".")}": ${invalid(setting.name(noun), why)}`);
    else refuse(setting.name(noun), value, shown, setting.allowed);
  }

  function refuseName(name: string, shown: Path, limit: PiLimit): void {
    const names = namesIn(limit);
    const why = whyNot(name, limit);
    problems.push(
      why === undefined
        ? unknownSetting(name, names, shown)
        : `"${[...shown, name].join(".")}": ${why} Use ${names.join(", ")}.`,
    );
  }

  /** Reads a limit, for a prompt or for a period. */
  function readLimit(shown: Path, limit: PiLimit, value: unknown, needsMax: boolean): void {
    const { settings, noun } = limit;
    const path = pathOf(limit);
    const said = isObject(value) ? Object.keys(value) : [];
    if (isObject(value) && said.length > 0 && (!needsMax || said.includes("max"))) {
      for (const name of said) {
        const setting = Object.hasOwn(settings, name) ? settings[name] : undefined;
        if (setting) read([...path, name], [...shown, name], setting, noun, value[name]);
        else if (!namesIn(limit).includes(name)) refuseName(name, shown, limit);
      }
      // It may be the maximum that is misspelt.
      if (!said.includes("max") && said.some((name) => !namesIn(limit).includes(name)))
        refused.push([...path, "max"]);
      return;
    }
    const max = isObject(value) ? undefined : settings.max.read(value);
    if (max !== undefined) entries.push([[...path, "max"], max]);
    else {
      if (isObject(value))
        problems.push(`"${shown.join(".")}": ${invalid(settings.max.name(noun), 'It has no "max".')}`);
      else refuseMax(limit, settings.max, noun, value, shown);
      refused.push([...path, "max"]);
    }
  }

  /** Reads a limit that may say for which period it is. */
  function readAny(shown: Path, row: PiLimit, value: unknown, needsMax = false): void {
    const said = periodSaid(row, value);
    const limit = said?.per && limitPer(row, said.per);
    if (said === undefined) readLimit(shown, row, value, needsMax);
    else if (limit) readLimit(shown, limit, value, true);
    else {
      // As long as its period is not known, it is not known how much it allows.
      refused.push(row.spent ? pathOf(row) : pathTo(row, "max"));
      if (row.spent && said.key === PER && isObject(value))
        refuse(
          "period",
          value[PER],
          [...shown, PER],
          PERIODS.map((period) => `"${period}"`),
        );
      else refuseName(said.key, shown, row);
    }
  }

  /** Reads a list of limits: at most one for a prompt, and one for each period. */
  function readList(row: PiLimit, list: readonly unknown[]): void {
    const names = list.map((value) => nameInList(row, value));
    const isTwice = (name: string | undefined) => names.filter((other) => other === name).length > 1;
    for (const [index, value] of list.entries()) {
      const name = names[index];
      if (name === undefined || !isTwice(name)) readAny([`${row.key}[${index}]`], row, value);
      else if (names.indexOf(name) === index) {
        const { settings, noun, per = "prompt" } = limitAt([name]) ?? row;
        const same = list.filter((_, at) => names[at] === name);
        refuse(settings.max.name(noun), same, [row.key], [`only one ${perText(per)}`]);
        refused.push([name, "max"]);
      }
    }
  }

  for (const row of limitTable) {
    const value = values[row.key];
    if (value === undefined) continue;
    if (!isFamily(row)) {
      if (row.spent && Array.isArray(value) && value.length > 0) readList(row, value);
      else readAny([row.key], row, value);
    } else if (!isObject(value)) {
      refuse(`list of ${row.noun} limits`, value, [row.key], [`{ "name of the ${row.noun}": …, … }`]);
      refused.push([row.key]);
    } else {
      for (const name of Object.keys(value)) {
        const why = row.whyNoMember?.(name);
        if (why === undefined) readAny([row.key, name], row.member(name), value[name], true);
        else {
          problems.push(`"${row.key}.${name}": ${invalid(`${row.noun} limit`, why)}`);
          refused.push([row.key]);
        }
      }
    }
  }
  if (values.boundary !== undefined) read(["boundary"], ["boundary"], boundaryStyle, "", values.boundary);
  return { settings: settingsFrom(entries), problems, refused };
}

/** Why a text is not the percentile that it was meant to be; nothing if it was not. */
function whyNotPercentile(text: string, { settings: { max } }: PiLimit): string | undefined {
  return isPercentile(text) && max.fixed === undefined ? NOT_OF_RUNS : whyNoPercentile(text, max.amount);
}

/** Why a limit does not have what other limits have; nothing if nothing has it. */
function whyNot(name: string, { per, ofOneRun, spent, settings, noun }: PiLimit): string | undefined {
  if (per && ofOneRun?.includes(name)) return `A limit ${perText(per)} has no ${name}.`;
  return !per && !spent && name === PER ? `The ${settings.max.name(noun)} has no period.` : undefined;
}

/** What a limit in a settings file says about its period. */
interface PeriodSaid {
  /** The key that says it, which may be misspelt. */
  readonly key: string;
  /** Left out where it is none. */
  readonly per?: Period;
}

/** The names that an object for this limit may have in a settings file. */
function namesIn({ settings, spent, per }: PiLimit): string[] {
  const [max = "", ...others] = Object.keys(settings);
  return spent || per ? [max, PER, ...others] : [max, ...others];
}

/** What this limit says about its period; nothing if it says nothing. */
function periodSaid(limit: PiLimit, value: unknown): PeriodSaid | undefined {
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, PER)) {
    const per = periodCalled(value[PER]);
    return { key: PER, ...(per && { per }) };
  }
  const key = limit.spent && Object.keys(value).find((key) => isMisspelt(key, value[key], namesIn(limit)));
  return key === undefined ? undefined : { key };
}

// As a limit for a prompt it would allow more than what was meant.
function isMisspelt(key: string, value: unknown, known: readonly string[]): boolean {
  if (known.includes(key)) return false;
  const looksLikeIt = key.toLowerCase().startsWith(PER) || nearestWord(key, [PER]) !== undefined;
  return looksLikeIt || periodCalled(value) !== undefined;
}

/** The name of the limit that this one of a list is; nothing if its period is none. */
function nameInList(limit: PiLimit, value: unknown): string | undefined {
  const said = periodSaid(limit, value);
  if (said === undefined) return limit.key;
  return said.per && nameWithPeriod(limit.key, said.per);
}
