import { amountsIn, invalid, PER, quoted, saidAmount, whyNoAmount } from "../core.ts";
import { withPeriods } from "../limits/limit-of.ts";
import { perText } from "../limits/periods.ts";
import { isFamily, type LimitFamily, type PiLimit, titleOf } from "../limits/pi-limit.ts";
import { limitTable, singleLimits } from "../limits/pi-limits.ts";
import { readTell, TELL, TELL_INPUT, whyNotTold } from "../limits/tell.ts";
import { allowedText, DEFAULT, followers, HELP } from "./format-limit.ts";
import { type ReadPhrase, readPhrase, whyNoLimit, whyNotPer, withPeriod } from "./limit-phrase.ts";
import { initialEntries, merged, pathTo, type Settings, settingsFrom } from "./settings.ts";

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
  /** What it is not, for example `cost limit per day`. */
  readonly name: string;
  /** What is wrong with it, in a sentence that says what to write. */
  readonly why: string;
  /** The limit that it was to set; where that is not known, every one that it may have been. None, if only a part of one. */
  readonly limits: readonly PiLimit[];
}

/** Every flag. Of two flags for the same setting the more specific one comes first, and wins. */
export function textInputs(): readonly TextInput[] {
  // Pi's start needs them twice.
  inputs ??= [
    ...singleLimits.flatMap((limit) => [...partInputs(limit), ...wholeInput(limit)]),
    ...limitTable.filter(isFamily).flatMap(familyInput),
    tellInput,
  ];
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

/** The limits in a text. There is at most one for a prompt, and one for each period. */
function partsOf(limit: PiLimit, text: string): { read: ReadPhrase[]; refused: RefusedText[] } {
  const texts = amountsIn(text);
  const parts = texts.map((part) => readPhrase(limit, part) ?? refusedPart(limit, part, texts.length > 1));
  const read = parts.filter(isRead);
  const same = ({ limit }: ReadPhrase) => read.filter((other) => other.limit.key === limit.key);
  const twice = read.filter((part) => same(part).length > 1 && same(part)[0] === part);
  return {
    read: read.filter((part) => same(part).length === 1),
    refused: [
      ...parts.filter((part): part is RefusedText => !isRead(part)),
      ...twice.map(({ limit }) => refused(limit, text, `Use only one ${perText(limit.per ?? "prompt")}.`)),
    ],
  };
}

function isRead(part: ReadPhrase | RefusedText): part is ReadPhrase {
  return "settings" in part;
}

function refusedPart(limit: PiLimit, text: string, isOneOfSeveral: boolean): RefusedText {
  const { per } = saidAmount(text);
  const about = per === undefined ? limit : withPeriod(limit, per);
  const why = whyNoLimit(limit, text);
  const isClear =
    about?.per === undefined ? !isOneOfSeveral && !PERIOD_SOMEWHERE.test(text) : !text.includes(",");
  // What is not clear may be about the limit for a prompt, or for any period.
  return about && isClear
    ? refused(about, text, why)
    : { ...refused(limit, text, why), limits: withPeriods(limit) };
}

const PERIOD_SOMEWHERE = new RegExp(`\\b${PER}\\b`, "i");

function refused(limit: PiLimit, text: string, why: string): RefusedText {
  return { text, name: titleOf(limit), why, limits: [limit] };
}

/** The limit that a text takes back what was set of: `default`, `default per day`. */
export function takenBackBy(limit: PiLimit, text: string): PiLimit | undefined {
  const { amount, per, following } = saidAmount(text);
  if (amount !== DEFAULT || following.length > 0) return undefined;
  return per === undefined ? limit : withPeriod(limit, per);
}

/** Does a text ask what can be said? */
export function asksForHelp(text: string): boolean {
  return text.trim().toLowerCase() === HELP;
}

/** Why a command or the panel does not accept a text; nothing if it does. */
export function refusalInSession(limit: PiLimit, text: string): string | undefined {
  const given = text.trim();
  const { amount, per, following } = saidAmount(given);
  if (amount === DEFAULT) {
    const isPer = per !== undefined && following.length === 0;
    return invalid(
      titleOf(limit),
      isPer ? whyNotPer(limit, per) : `Nothing can follow ${DEFAULT}, except a period.`,
    );
  }
  const [first] = partsOf(limit, given).refused;
  return first && invalid(first.name, first.why);
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

const tellInput: TextInput = {
  ...TELL_INPUT,
  read(text) {
    const tell = readTell(text);
    if (tell !== undefined) return { settings: settingsFrom([[[TELL], tell]]), refused: [] };
    return { settings: {}, refused: [{ text, name: TELL_INPUT.name, why: whyNotTold(text), limits: [] }] };
  },
};

/** Each member with its name before it: `5h 80%, 7d 50%`. */
function familyInput(family: LimitFamily): TextInput[] {
  const { flag, env, noun, example, names = [], whyNoMember } = family;
  if (flag === undefined || env === undefined) return [];
  const readOne = (text: string): { settings: Settings; refused: readonly RefusedText[] } => {
    const [name = ""] = text.trim().split(/\s/, 1);
    const why = whyNoMember?.(name);
    // Which one it was to be is not known.
    if (why !== undefined)
      return {
        settings: {},
        refused: [{ text, name: `${noun} limit`, why, limits: names.map(family.member) }],
      };
    const limit = family.member(name);
    const { read, refused } = partsOf(limit, text.trim().slice(name.length).trim());
    return { settings: merged(...read.map(({ settings }) => settings)), refused };
  };
  const read = (text: string) => {
    const parts = amountsIn(text).map(readOne);
    return {
      settings: merged(...parts.map(({ settings }) => settings)),
      refused: parts.flatMap(({ refused }) => refused),
    };
  };
  const [max] = family.member(example).example;
  const allowed = `a ${noun} and ${family.member(example).settings.max.amount.allowed}; several with commas (${names.map((one) => `${one} ${max}`).join(", ")})`;
  return [{ name: `${noun} limit`, flag, env, allowed, read }];
}

function partInputs(limit: PiLimit): TextInput[] {
  return followers(limit).flatMap(([name, { alone, amount, parse }]): TextInput[] => {
    const setting = limit.settings[name];
    if (!alone || !setting) return [];
    const input = { ...alone, name: setting.name(limit.noun), allowed: setting.allowed.join() };
    const read = (text: string) => {
      const value = parse(text.trim());
      if (value !== undefined) return { settings: settingsFrom([[pathTo(limit, name), value]]), refused: [] };
      const why = amount ? whyNoAmount(text.trim(), amount) : `Use ${input.allowed}, not ${quoted(text)}.`;
      return { settings: {}, refused: [{ text, name: input.name, why, limits: [] }] };
    };
    return [{ ...input, read }];
  });
}
