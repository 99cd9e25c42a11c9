import { amountsIn, PER, saidAmount } from "../core.ts";
import { limitPer, withPeriods } from "../limits/limit-of.ts";
import { periodCalled, perText } from "../limits/periods.ts";
import { type PiLimit, titleOf } from "../limits/pi-limit.ts";
import { singleLimits } from "../limits/pi-limits.ts";
import { allowedFor, allowedText, DEFAULT, followers, OR_DEFAULT } from "./format-limit.ts";
import { refusal } from "./problems.ts";
import { type Entry, initialEntries, merged, pathTo, type Settings, settingsFrom } from "./settings.ts";

/** A flag with its environment variable. Both take the same text. */
export interface TextInput {
  /** What it is called in messages, for example `turn limit`. */
  readonly name: string;
  /** Without the dashes. */
  readonly flag: string;
  readonly env: string;
  /** What is accepted, in words. */
  readonly allowed: string;
  /** What the text says, and which parts of it are not accepted. */
  read(text: string): { readonly settings: Settings; readonly refused: readonly RefusedText[] };
}

/** A part of a text that is not accepted. */
export interface RefusedText {
  readonly text: string;
  /** What it is not, for example `cost limit per day`, and what is accepted instead. */
  readonly name: string;
  readonly allowed: string;
  /** The limit that it was to set; where that is not known, every one that it may have been. None, if only a part of one. */
  readonly limits: readonly PiLimit[];
}

/** Every flag. Of two flags for the same setting the more specific one comes first, and wins. */
export function textInputs(): readonly TextInput[] {
  // Pi's start needs them twice.
  inputs ??= singleLimits.flatMap((limit) => [...partInputs(limit), ...wholeInput(limit)]);
  return inputs;
}

let inputs: readonly TextInput[] | undefined;

/**
 * Reads a limit as a command, a flag or a variable says it: `25 grace 3`, `200k stop reserve 10k`, `unlimited`,
 * `$2, $20 per day`.
 */
export function parseLimit(limit: PiLimit, text: string): Settings | undefined {
  const { read, refused } = partsOf(limit, text);
  return refused.length === 0 ? merged(...read.map(({ settings }) => settings)) : undefined;
}

/** The same for a text that replaces the whole limit: what it leaves out has its initial value. */
export function parseWholeLimit(limit: PiLimit, text: string): Settings | undefined {
  const { read, refused } = partsOf(limit, text);
  if (refused.length > 0) return undefined;
  const initial = read.flatMap(({ limit }) => {
    const names = followers(limit).map(([name]) => name);
    return initialEntries(limit, names);
  });
  return merged(settingsFrom(initial), ...read.map(({ settings }) => settings));
}

/** A limit in a text, with what is said about it. */
interface ReadPart {
  readonly limit: PiLimit;
  readonly settings: Settings;
}

function isRead(part: ReadPart | RefusedText): part is ReadPart {
  return "settings" in part;
}

/** The limits in a text. There is at most one for a prompt, and one for each period. */
function partsOf(limit: PiLimit, text: string): { read: ReadPart[]; refused: RefusedText[] } {
  const texts = amountsIn(text);
  const parts = texts.map((part) => readPart(limit, part, texts.length > 1));
  const read = parts.filter(isRead);
  const same = ({ limit }: ReadPart) => read.filter((other) => other.limit.key === limit.key);
  const twice = read.filter((part) => same(part).length > 1 && same(part)[0] === part);
  return {
    read: read.filter((part) => same(part).length === 1),
    refused: [
      ...parts.filter((part): part is RefusedText => !isRead(part)),
      ...twice.map(({ limit }) => refused(limit, text, `only one ${perText(limit.per ?? "prompt")}`)),
    ],
  };
}

function readPart(limit: PiLimit, text: string, isOneOfSeveral: boolean): ReadPart | RefusedText {
  const { amount, per, following } = saidAmount(text);
  const about = per === undefined ? limit : withPeriod(limit, per);
  if (!about) return unclear(limit, text);
  const settings = readWords(about, amount, following);
  if (settings) return { limit: about, settings };
  const isClear =
    about.per === undefined ? !isOneOfSeveral && !PERIOD_SOMEWHERE.test(text) : !text.includes(",");
  return isClear ? refused(about, text) : unclear(limit, text);
}

const PERIOD_SOMEWHERE = new RegExp(`\\b${PER}\\b`, "i");

/** The limit for the period of this name. One that is for a period has no other. */
function withPeriod(limit: PiLimit, name: string): PiLimit | undefined {
  const period = periodCalled(name);
  if (period === undefined) return undefined;
  return period === limit.per ? limit : limitPer(limit, period);
}

/** Reads the maximum and what follows it. */
function readWords(limit: PiLimit, first: string, following: readonly string[]): Settings | undefined {
  const rest = [...following];
  const max = limit.settings.max.inText.parse(first);
  if (max === undefined) return undefined;
  const entries: Entry[] = [[pathTo(limit, "max"), max]];
  for (const [name, { keyword, parse }] of max === "unlimited" ? [] : followers(limit)) {
    if (keyword !== undefined && rest[0] !== keyword) continue;
    const value = parse(rest[keyword === undefined ? 0 : 1] ?? "");
    if (value === undefined) continue;
    entries.push([pathTo(limit, name), value]);
    rest.splice(0, keyword === undefined ? 1 : 2);
  }
  return rest.length === 0 ? settingsFrom(entries) : undefined;
}

function refused(limit: PiLimit, text: string, allowed = allowedFor(limit, text)): RefusedText {
  return { text, name: titleOf(limit), allowed, limits: [limit] };
}

/** A text that may be about the limit for a prompt, or for any period. */
function unclear(limit: PiLimit, text: string): RefusedText {
  return { ...refused(limit, text), limits: withPeriods(limit) };
}

/** The limit that a text takes back what was set of: `default`, `default per day`. */
export function takenBackBy(limit: PiLimit, text: string): PiLimit | undefined {
  const { amount, per, following } = saidAmount(text);
  if (amount !== DEFAULT || following.length > 0) return undefined;
  return per === undefined ? limit : withPeriod(limit, per);
}

/** Why a command or the panel does not accept a text; nothing if it does. */
export function refusalInSession(limit: PiLimit, text: string): string | undefined {
  const { refused } = partsOf(limit, text.trim());
  const refusals = refused.map(({ name, text, allowed }) => refusal(name, text, `${allowed}; ${OR_DEFAULT}`));
  return refused.length === 0 ? undefined : refusals.join(" ");
}

function wholeInput(limit: PiLimit): TextInput[] {
  const { flag, env, noun, settings } = limit;
  if (flag === undefined || env === undefined) return [];
  const read = (text: string) => {
    const { read, refused } = partsOf(limit, text);
    return { settings: merged(...read.map(({ settings }) => settings)), refused };
  };
  return [{ name: settings.max.name(noun), flag, env, allowed: allowedText(limit), read }];
}

function partInputs(limit: PiLimit): TextInput[] {
  return followers(limit).flatMap(([name, { alone, parse }]): TextInput[] => {
    const setting = limit.settings[name];
    if (!alone || !setting) return [];
    const input = { ...alone, name: setting.name(limit.noun), allowed: setting.allowed.join() };
    const read = (text: string) => {
      const value = parse(text.trim());
      return value === undefined
        ? { settings: {}, refused: [{ text, name: input.name, allowed: input.allowed, limits: [] }] }
        : { settings: settingsFrom([[pathTo(limit, name), value]]), refused: [] };
    };
    return [{ ...input, read }];
  });
}
