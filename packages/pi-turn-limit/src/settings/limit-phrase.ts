import {
  amountsIn,
  listed,
  nearestWord,
  PER,
  quoted,
  saidAmount,
  whyNoAmount,
  whyNoPeriod,
  writeInstead,
} from "../core.ts";
import { limitPer } from "../limits/limit-of.ts";
import { PERIODS, periodCalled, perText } from "../limits/periods.ts";
import { type PiLimit, titleOf } from "../limits/pi-limit.ts";
import type { TextForm } from "../limits/setting.ts";
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
  const { entries, rest } = readFollowing(about, max === UNLIMITED ? [] : followers(about), following);
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
  const [first = "", second = ""] = words;
  for (const [name, { keyword, parse }] of open) {
    if (keyword !== undefined && keyword !== first) continue;
    const value = parse(keyword === undefined ? first : second);
    if (value === undefined) continue;
    const others = open.filter(([other]) => other !== name);
    const next = readFollowing(limit, others, words.slice(keyword === undefined ? 1 : 2));
    return { ...next, entries: [[pathTo(limit, name), value], ...next.entries] };
  }
  return { entries: [], rest: words, open };
}

/** What is wrong with a text that is no such limit, in a sentence that says what to write. */
export function whyNoLimit(limit: PiLimit, text: string): string {
  const instead = writeInstead(text, (meant) => amountsIn(meant).every((one) => readPhrase(limit, one)));
  if (instead !== undefined) return instead;
  const { amount, per, following } = saidAmount(text);
  const about = per === undefined ? limit : withPeriod(limit, per);
  const { inText, amount: amounts } = limit.settings.max;
  if (inText.parse(amount) === undefined) return whyNoAmount(amount, amounts, [UNLIMITED]);
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

function whyNotFollowing(limit: PiLimit, amount: string, following: readonly string[]): string {
  const { per, ofOneRun = [], spent } = limit;
  if (amount === UNLIMITED)
    return `Nothing can follow ${UNLIMITED}${per || !spent ? "" : ", except a period"}.`;
  const { rest, open } = readFollowing(limit, followers(limit), following);
  const [word = "", next] = rest;
  if (per && ofOneRun.includes(word)) return `A limit ${perText(per)} has no ${word}.`;
  const amounts = open.find(([, { keyword }]) => keyword === word)?.[1].amount;
  if (amounts) return `${word} needs ${amounts.short}${next === undefined ? "" : `, not ${quoted(next)}`}.`;
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
