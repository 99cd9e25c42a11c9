import type { Max } from "turn-limit";
import {
  type Amount,
  formatPercentile,
  isPercentile,
  listed,
  PERCENTILE_SCHEMA,
  parsePercentile,
  UP_TO,
} from "../core.ts";

/** What happens at a limit's boundary. */
export type Policy = "ask" | "stop" | "raise" | "synthesize" | "refuse" | "wait";

/** The policies of a limit that is checked before turns, and of one that is checked before tool calls. */
export const BEFORE_TURNS = ["ask", "stop", "raise", "synthesize"] as const;
export const BEFORE_CALLS = [...BEFORE_TURNS, "refuse"] as const;

/** One thing that can be configured about a limit, for example its maximum or its reserve. */
export interface Setting<Value = unknown> {
  /** What it is called in messages, given what the limit counts: `token limit`. */
  name(noun: string): string;
  /** The value when no source has one. */
  readonly initial: Value;
  /** The forms that a settings file may have it in, in words and as a JSON schema. */
  readonly allowed: readonly string[];
  readonly schema: object;
  /** Reads what a settings file says. */
  read(value: unknown): Value | undefined;
  isValid(value: unknown): boolean;
  /** The value as it stands in a message. */
  format(value: Value): string;
  /** Why a project may not say `theirs` where the person says `yours`; nothing if it may. */
  objection(theirs: Value, yours: Value): string | undefined;
  /** Does this value do nothing beside this maximum? */
  hasNoEffect?(value: Value, max: Max): boolean;
  /** Does it only make sense for one run, and not for a period? */
  readonly isOfOneRun?: true;
  /** The same of a limit that starts over by itself, where that makes a difference. */
  readonly ofStartingOver?: Setting;
  /** How a command, a flag or a variable says it; left out where only a settings file can. */
  readonly inText?: TextForm<Value>;
}

/** A part of a limit's text: a word of its own (`stop`), or an amount after a keyword (`reserve 10k`). */
export interface TextForm<Value = unknown> {
  /** What may follow the maximum, for example `a reserve`; left out where another one says it. */
  readonly called?: string | undefined;
  readonly keyword?: string;
  /** The amounts that follow the keyword. */
  readonly amount?: Amount;
  /** Without a keyword, the words that it can be. */
  readonly words?: readonly string[];
  parse(word: string): Value | undefined;
  format(value: Value): string;
  /** How it is read where it is said together with others: `extend 3 by 10`. */
  readonly phrase?: Phrase;
  /** It is said in the phrase of this setting, and not without it. */
  readonly within?: Within;
  /** A flag and a variable that say this alone. */
  readonly alone?: { readonly flag: string; readonly env: string };
}

/** Several settings that are said together. */
export interface Phrase {
  /** What was read, by the names of the settings, and the words that follow. `undefined`: that is not what they say. */
  read(
    words: readonly string[],
  ): { values: Readonly<Record<string, unknown>>; rest: readonly string[] } | undefined;
  /** What is wrong with words that begin with its keyword, in a sentence that says what to write. */
  whyNot(words: readonly string[]): string;
}

/** In which setting's phrase something is said, and what is wrong with it elsewhere. */
export interface Within {
  readonly setting: string;
  readonly whyNot: string;
}

/** A maximum that is to be chosen from what one's own runs took, as it is written: `p90 up to 50`. */
export type PercentileText = `p${string}`;

/** How much a limit admits, as a source says it. */
export type WantedMax = Max | PercentileText;

/** How much a limit admits, and in which amounts. */
export interface Maximum extends Setting<WantedMax> {
  readonly initial: Max;
  readonly amount: Amount;
  readonly inText: TextForm<WantedMax>;
  /** The same without percentiles, where it can be one. */
  readonly fixed?: Maximum;
}

/** A maximum that can be a percentile of what one's own runs took. */
export function maximum(amount: Amount, initial: Max = "unlimited"): Maximum {
  const fixed = fixedMaximum(amount, initial);
  const percentile = (text: string): PercentileText | undefined => {
    const read = parsePercentile(text, amount);
    return read && (formatPercentile(read, amount) as PercentileText);
  };
  const inFile = (value: unknown) => (typeof value === "string" ? percentile(value) : undefined);
  return {
    ...fixed,
    fixed,
    schema: { anyOf: [...fixedSchemas(amount), PERCENTILE_SCHEMA] },
    read: (value) => inFile(value) ?? fixed.read(value),
    isValid: (value) => fixed.isValid(value) || inFile(value) === value,
    objection: (theirs, yours) =>
      isPercentile(theirs) || isPercentile(yours)
        ? objectionToPercentile(theirs, yours, amount)
        : fixed.objection(theirs, yours),
    inText: { ...fixed.inText, parse: (word) => percentile(word) ?? fixed.inText.parse(word) },
  };
}

// Nobody knows what a percentile will be, so a project may only have one that cannot raise the person's limit.
function objectionToPercentile(theirs: WantedMax, yours: WantedMax, amount: Amount): string | undefined {
  if (yours === "unlimited" || theirs === yours) return undefined;
  if (isPercentile(yours)) return `a project may not change your ${yours}`;
  const { of, upTo = Infinity } = parsePercentile(String(theirs), amount) ?? {};
  if (upTo <= Number(yours)) return undefined;
  const max = amount.format(Number(yours));
  return `a project may lower your limit of ${max}, not raise it${of === undefined ? "" : `: p${of} ${UP_TO} ${max} could not`}`;
}

function fixedSchemas(amount: Amount): object[] {
  return [...amount.schemas, { const: "unlimited", description: "No limit. The counter still counts." }];
}

/** A maximum that a person sets, and nothing else. */
export function fixedMaximum(amount: Amount, initial: Max = "unlimited"): Maximum {
  const format = (max: WantedMax) => (typeof max === "string" ? max : amount.format(max));
  return {
    amount,
    name: (noun) => `${noun} limit`,
    initial,
    allowed: [...amount.allowedInFiles, '"unlimited"'],
    schema: { anyOf: fixedSchemas(amount) },
    read: (value) => (isUnlimited(value) ? "unlimited" : amount.read(value)),
    isValid: (value) => value === "unlimited" || amount.isValid(value),
    format,
    objection: (theirs, yours) =>
      yours !== "unlimited" && (theirs === "unlimited" || theirs > yours)
        ? `a project may lower your limit of ${format(yours)}, not raise it`
        : undefined,
    inText: {
      called: "a maximum",
      parse: (word) => (isUnlimited(word) ? "unlimited" : amount.parse(word)),
      format,
    },
  };
}

/** The policy of a limit that starts over by itself: the run is held until then. */
export const WAIT = "wait";

/** The policies of a limit that always starts over by itself. */
export function policiesOfStartingOver(words: readonly Exclude<Policy, "wait">[]) {
  return policiesOf<Policy>([...words, WAIT], {});
}

/** What happens when the limit is reached: where a person can be asked, and where there is no one to ask. */
export function policies<Word extends Exclude<Policy, "wait">>(
  words: readonly Word[],
  initial: { onExhausted?: NoInfer<Word>; headless?: Exclude<NoInfer<Word>, "ask"> } = {},
): { onExhausted: Setting<Word>; headless: Setting<Exclude<Word, "ask">> } {
  const lasting = policiesOf<Policy>([...words, WAIT], initial as { headless?: "stop" });
  const { onExhausted, headless } = policiesOf<Word>(words, initial);
  return {
    onExhausted: { ...onExhausted, ofStartingOver: lasting.onExhausted as Setting },
    headless: { ...headless, ofStartingOver: lasting.headless as Setting },
  };
}

function policiesOf<Word extends Policy>(
  words: readonly Word[],
  initial: { onExhausted?: NoInfer<Word>; headless?: Exclude<NoInfer<Word>, "ask"> },
): { onExhausted: Setting<Word>; headless: Setting<Exclude<Word, "ask">> } {
  const { onExhausted = "ask" as Word, headless = "stop" as Exclude<Word, "ask"> } = initial;
  const withoutAsk = words.filter((word): word is Exclude<Word, "ask"> => word !== "ask");
  return {
    onExhausted: {
      ...choice({
        name: (noun) => `${noun} policy`,
        words,
        initial: onExhausted,
        description: `When it is used up. ${explained(words)} Where nobody can be asked, headless says what instead.`,
        objection: onlyToEndTheRun,
      }),
      inText: {
        called: `a policy (${listed(words, "or")})`,
        words,
        parse: (text) => words.find((word) => word === text),
        format: String,
      },
    },
    headless: choice({
      name: (noun) => `${noun} headless policy`,
      words: withoutAsk,
      initial: headless,
      description: `Instead of asking, when nobody can be asked. ${explained(withoutAsk)}`,
      objection: onlyToEndTheRun,
    }),
  };
}

/** How much is kept back for the final answer. */
export function reserve(amount: Amount): Setting<number> {
  return amountAfter("reserve", amount, {
    description:
      "How much is kept back for the final answer. As much as the limit, or more, is none. A project may not change your reserve.",
  });
}

/** An amount that follows the maximum after a keyword. A flag and a variable may say it alone. */
export function amountAfter(
  keyword: string,
  amount: Amount,
  more: Pick<TextForm, "alone"> & { description: string },
): Setting<number> {
  const { description, alone } = more;
  const { allowedInFiles, schemas, parse, read, isValid, format } = amount;
  return {
    name: (noun) => `${noun} ${keyword}`,
    initial: 0,
    allowed: allowedInFiles,
    schema: { description, anyOf: schemas, default: 0 },
    read,
    isValid,
    format,
    // Not even to a larger one: as much as the limit, or more, counts as none.
    objection: (theirs, yours) =>
      yours > 0 && theirs !== yours
        ? `a project may not change your ${keyword} of ${format(yours)}`
        : undefined,
    isOfOneRun: true,
    hasNoEffect: (value, max) => value > 0 && (max === "unlimited" || value >= max),
    inText: { called: `a ${keyword}`, keyword, amount, parse, format, ...(alone && { alone }) },
  };
}

/** Whether something counts towards a limit. */
export function counting(what: string): Setting<boolean> {
  return {
    name: () => `${what} setting`,
    initial: false,
    allowed: ["true or false"],
    schema: {
      description: `Do tokens of ${what} count, too? A project may switch this on, not off.`,
      type: "boolean",
      default: false,
    },
    read: (value) => (typeof value === "boolean" ? value : undefined),
    isValid: (value) => typeof value === "boolean",
    format: String,
    objection: (theirs, yours) => (yours && !theirs ? "a project may switch it on, not off" : undefined),
  };
}

/** One of several words. */
export function choice<const Word extends string>(options: {
  name(noun: string): string;
  words: readonly Word[];
  initial: NoInfer<Word>;
  description: string;
  objection(theirs: string, yours: string): string | undefined;
}): Setting<Word> {
  const { name, words, initial, description, objection } = options;
  const read = (value: unknown) => words.find((word) => word === value);
  return {
    name,
    initial,
    allowed: [
      listed(
        words.map((word) => `"${word}"`),
        "or",
      ),
    ],
    schema: { description, enum: words, default: initial },
    read,
    isValid: (value) => read(value) !== undefined,
    format: (word) => `"${word}"`,
    objection,
  };
}

/** Of several words a project may choose only those that end the run. */
export function onlyToEndTheRun(theirs: string, yours: string): string | undefined {
  const ends = (word: string) => word === "stop" || word === "raise";
  if (theirs === yours || ends(theirs)) return undefined;
  return ends(yours)
    ? `a project may not change your "${yours}"`
    : `a project may change your "${yours}" only to "stop"`;
}

function explained(words: readonly Policy[]): string {
  const meanings: Record<Policy, string> = {
    ask: "ask: you are asked",
    stop: "stop: the run ends",
    raise: "raise: it ends with an error",
    synthesize: "synthesize: it ends with one answer made without tools",
    refuse: "refuse: only the calls beyond the limit are refused",
    wait: "wait: the run is held until the limit starts over, and goes on by itself",
  };
  return `${words.map((word) => meanings[word]).join("; ")}.`;
}

function isUnlimited(value: unknown): boolean {
  return typeof value === "string" && value.toLowerCase() === "unlimited";
}
