import {
  amountsIn,
  isPercentile,
  listed,
  NOT_OF_RUNS,
  nearestWord,
  PER,
  quoted,
  saidAmount,
  whyNoAmount,
  whyNoPercentile,
  whyNoPeriod,
  writeInstead,
} from "../core.ts";
import { limitPer } from "../limits/limit-of.ts";
import { PERIODS, periodCalled, perText, startsOver } from "../limits/periods.ts";
import { type PiLimit, titleOf } from "../limits/pi-limit.ts";
import { type TextForm, WAIT } from "../limits/setting.ts";
import { followers } from "./format-limit.ts";
import { type Entry, pathTo, type Settings, settingsFrom } from "./settings.ts";

// One limit as a person says it: `25 stop grace 3`, `$20 per day`.

/** A limit with what is said about it. */
export interface ReadPhrase {
  readonly limit: PiLimit;
  readonly settings: Settings;
}

/** Reads one limit; nothing if it is none. */
export function readPhrase(limit: PiLimit, text: string): ReadPhrase | undefined {
  const { amount, per, following } = saidAmount(text);
  const about = per === undefined ? limit : withPeriod(limit, per);
  const max = about?.settings.max.inText.parse(amount);
  if (about === undefined || max === undefined) return undefined;
  const { entries, rest } = readFollowing(about, max === UNLIMITED ? [] : beginnings(about), following);
  if (rest.length > 0) return undefined;
  return { limit: about, settings: settingsFrom([[pathTo(about, "max"), max], ...entries]) };
}

const UNLIMITED = "unlimited";

/** The limit for the period of this name. One that is for a period has no other. */
export function withPeriod(limit: PiLimit, name: string): PiLimit | undefined {
  const period = periodCalled(name);
  if (period === undefined) return undefined;
  return period === limit.per ? limit : limitPer(limit, period);
}

/** What follows the maximum, in any order: what was read, and the words that could not be. */
interface Following {
  readonly entries: Entry[];
  readonly rest: readonly string[];
  /** What can still follow. */
  readonly open: readonly [name: string, form: TextForm][];
}

function readFollowing(
  limit: PiLimit,
  open: readonly [name: string, form: TextForm][],
  words: readonly string[],
): Following {
  for (const [name, form] of open) {
    const read = form.phrase ? form.phrase.read(words) : readAlone(name, form, words);
    if (!read) continue;
    const others = open.filter(([other]) => other !== name);
    const next = readFollowing(limit, others, read.rest);
    const entries = Object.entries(read.values).map(([name, value]): Entry => [pathTo(limit, name), value]);
    return { ...next, entries: [...entries, ...next.entries] };
  }
  return { entries: [], rest: words, open };
}

function readAlone(name: string, { keyword, parse }: TextForm, words: readonly string[]) {
  const [first = "", second = ""] = words;
  if (keyword !== undefined && keyword !== first) return undefined;
  const value = parse(keyword === undefined ? first : second);
  return value === undefined
    ? undefined
    : { values: { [name]: value }, rest: words.slice(keyword === undefined ? 1 : 2) };
}

/** With what the words after a maximum can begin. */
function beginnings(limit: PiLimit): [name: string, form: TextForm][] {
  return followers(limit).filter(([, { within }]) => within === undefined);
}

/** What is wrong with a text that is no such limit, in a sentence that says what to write. */
export function whyNoLimit(limit: PiLimit, text: string): string {
  const instead = writeInstead(text, (meant) => amountsIn(meant).every((one) => readPhrase(limit, one)));
  if (instead !== undefined) return instead;
  const { amount, per, following } = saidAmount(text);
  const about = per === undefined ? limit : withPeriod(limit, per);
  const { inText, amount: amounts, fixed } = limit.settings.max;
  if (isPercentile(amount) && (fixed === undefined || per !== undefined)) return NOT_OF_RUNS;
  if (inText.parse(amount) === undefined)
    return whyNoPercentile(amount, amounts) ?? whyNoAmount(amount, amounts, [UNLIMITED]);
  if (about === undefined) return whyNotPer(limit, per ?? "");
  if (!about.spent && !about.per && following[0] === PER) return whyNotPer(about, "");
  return whyNotFollowing(about, amount, following);
}

/** Why a limit cannot be for the period of this name. */
export function whyNotPer(limit: PiLimit, word: string): string {
  const { per, spent, command } = limit;
  if (per !== undefined && periodCalled(word))
    return `This is the limit ${perText(per)}. For another period, use /${command}.`;
  if (per === undefined && !spent) return `The ${titleOf(limit)} has no period.`;
  return whyNoPeriod(word, PERIODS);
}

function whyNoWait(amount: string): string {
  return isPercentile(amount)
    ? NOT_OF_RUNS
    : `${amount} ${WAIT} needs a period, at the end of which it starts over: ${amount} ${perText("day")} ${WAIT}.`;
}

function whyNotFollowing(limit: PiLimit, amount: string, following: readonly string[]): string {
  const { per, ofOneRun = [], spent } = limit;
  if (amount === UNLIMITED)
    return `Nothing can follow ${UNLIMITED}${per || !spent ? "" : ", except a period"}.`;
  const { rest, open } = readFollowing(limit, beginnings(limit), following);
  const [word = "", next] = rest;
  if (per && ofOneRun.includes(word)) return `A limit ${perText(per)} has no ${word}.`;
  if (word === WAIT && spent !== undefined && !per) return whyNoWait(amount);
  if (word === WAIT && per && !startsOver(per))
    return `A limit ${perText(per)} does not start over by itself: for ${WAIT}, use one ${perText("day")}, week or month.`;
  const { phrase, amount: amounts } = open.find(([, { keyword }]) => keyword === word)?.[1] ?? {};
  if (phrase) return phrase.whyNot(rest);
  if (amounts) return `${word} needs ${amounts.short}${next === undefined ? "" : `, not ${quoted(next)}`}.`;
  const within = followers(limit).find(([, { keyword }]) => keyword === word)?.[1].within;
  if (within && open.some(([name]) => name === within.setting)) return within.whyNot;
  const isFirst = rest.length === following.length;
  const words = open.flatMap(([, { words = [], keyword }]) => (keyword === undefined ? words : [keyword]));
  const known = [...words, ...(spent && !per && isFirst ? [PER] : [])];
  const meant = nearestWord(word, known);
  if (meant !== undefined) return `Write ${meant}, not ${quoted(word)}.`;
  const said = [
    amount,
    ...(per ? [perText(per)] : []),
    ...following.slice(0, following.length - rest.length),
  ];
  return known.length === 0
    ? `Nothing can follow ${said.join(" ")}.`
    : `After ${said.join(" ")}, use ${listed(known, "or")}, not ${quoted(word)}.`;
}
