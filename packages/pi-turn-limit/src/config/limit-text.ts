import { isFamily, type LimitTable, type PiLimit, pathOf, piLimits } from "../limits/pi-limits.ts";
import type { TextForm } from "../limits/setting.ts";
import {
  type Entry,
  initialEntries,
  merged,
  type Path,
  type Settings,
  settingsFrom,
  valueAt,
} from "./settings.ts";

/** A flag with its environment variable. Both take the same text. */
export interface TextInput {
  /** What it is called in messages, for example `turn limit`. */
  readonly name: string;
  /** Without the dashes. */
  readonly flag: string;
  readonly env: string;
  /** What is accepted, in words. */
  readonly allowed: string;
  /** Where the maximum is that it says, if it says one. */
  readonly max?: Path;
  /** What the text says; `undefined` if it is not accepted. */
  parse(text: string): Settings | undefined;
}

/** Every flag. Of two flags for the same setting the more specific one comes first, and wins. */
export function textInputs(table: LimitTable = piLimits): readonly TextInput[] {
  const known = inputsOf.get(table);
  if (known) return known;
  const inputs = table.flatMap((row) => (isFamily(row) ? [] : [...partInputs(row), ...wholeInput(row)]));
  inputsOf.set(table, inputs);
  return inputs;
}

// Pi's start needs them twice.
const inputsOf = new WeakMap<LimitTable, readonly TextInput[]>();

/** Reads a limit as a command, a flag or a variable says it: `25 grace 3`, `200k stop reserve 10k`, `unlimited`. */
export function parseLimit(limit: PiLimit, text: string): Settings | undefined {
  const [first = "", ...rest] = text.trim().toLowerCase().split(/\s+/);
  const max = limit.settings.max.inText.parse(first);
  if (max === undefined) return undefined;
  const entries: Entry[] = [[pathIn(limit, "max"), max]];
  for (const [name, { keyword, parse }] of max === "unlimited" ? [] : followers(limit)) {
    if (keyword !== undefined && rest[0] !== keyword) continue;
    const value = parse(rest[keyword === undefined ? 0 : 1] ?? "");
    if (value === undefined) continue;
    entries.push([pathIn(limit, name), value]);
    rest.splice(0, keyword === undefined ? 1 : 2);
  }
  return rest.length === 0 ? settingsFrom(entries) : undefined;
}

/** The same for a text that replaces the whole limit: what it leaves out has its initial value. */
export function parseWholeLimit(limit: PiLimit, text: string): Settings | undefined {
  const said = parseLimit(limit, text);
  const names = followers(limit).map(([name]) => name);
  return said && merged(settingsFrom(initialEntries(limit, names)), said);
}

/** What a text may say, in words. */
export function allowedText(limit: PiLimit): string {
  const { amount, example } = limit;
  const parts = followers(limit).map(([, { called }]) => called);
  const may =
    parts.length === 0 ? "" : `; ${parts.join(" and ")} may follow the ${amount.called} (${example})`;
  return `${amount.allowed}, or unlimited${may}`;
}

/** The word that takes back what was set in a session: what is configured holds again. */
export const DEFAULT = "default";

/** Does the text take back what was set? */
export function isDefault(text: string): boolean {
  return text.trim().toLowerCase() === DEFAULT;
}

/** What a command and the panel accept, in words. */
export function allowedInSession(limit: PiLimit): string {
  return `${allowedText(limit)}; or ${DEFAULT}, for what is configured`;
}

/** The text that says what holds, without what has its initial value. */
export function formatLimit(limit: PiLimit, values: Settings): string {
  return phrases(limit, values)
    .map(({ text }) => text)
    .join(" ");
}

/** The same with where it came from, part by part if that differs. */
export function describeLimit(limit: PiLimit, values: Settings, sourceOf: (path: Path) => string): string {
  const parts = phrases(limit, values);
  const [source, ...others] = new Set(parts.map(({ path }) => sourceOf(path)));
  if (others.length === 0) return `${formatLimit(limit, values)} (${source})`;
  return parts.map(({ path, text }) => `${text} (${sourceOf(path)})`).join(", ");
}

function phrases(limit: PiLimit, values: Settings): { path: Path; text: string }[] {
  const { max } = limit.settings;
  const path = pathIn(limit, "max");
  const value = valueAt(values, path) ?? "unlimited";
  const first = { path, text: max.inText.format(value as typeof max.initial) };
  if (value === "unlimited") return [first];
  const others = followers(limit).flatMap(([name, { keyword, format }]) => {
    const path = pathIn(limit, name);
    const value = valueAt(values, path);
    if (value === undefined || value === limit.settings[name]?.initial) return [];
    return [{ path, text: `${keyword === undefined ? "" : `${keyword} `}${format(value)}` }];
  });
  return [first, ...others];
}

/** What may follow the maximum in a text, by the names of the settings. */
function followers({ settings }: PiLimit): [name: string, form: TextForm][] {
  return Object.entries(settings).flatMap(([name, { inText }]): [string, TextForm][] =>
    name === "max" || !inText ? [] : [[name, inText]],
  );
}

function wholeInput(limit: PiLimit): TextInput[] {
  const { flag, env, noun, settings } = limit;
  if (flag === undefined || env === undefined) return [];
  const parse = (text: string) => parseLimit(limit, text);
  const max = pathIn(limit, "max");
  return [{ name: settings.max.name(noun), flag, env, allowed: allowedText(limit), max, parse }];
}

function partInputs(limit: PiLimit): TextInput[] {
  return followers(limit).flatMap(([name, { alone, parse }]): TextInput[] => {
    const setting = limit.settings[name];
    if (!alone || !setting) return [];
    const read = (text: string) => {
      const value = parse(text.trim());
      return value === undefined ? undefined : settingsFrom([[pathIn(limit, name), value]]);
    };
    return [{ ...alone, name: setting.name(limit.noun), allowed: setting.allowed.join(), parse: read }];
  });
}

function pathIn({ key }: PiLimit, setting: string): Path {
  return [...pathOf(key), setting];
}
