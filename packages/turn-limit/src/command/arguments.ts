import { unknownWord, wrongInput } from "./command-error.ts";

/** The options of a command: `flag` stands alone, `value` is followed by one. */
export type OptionKinds = Readonly<Record<string, "flag" | "value">>;

/** What was typed: the words, and the options with their values. */
export interface Arguments<Kinds extends OptionKinds> {
  words: string[];
  options: { [Name in keyof Kinds]?: Kinds[Name] extends "flag" ? true : string };
}

const SHORT = { h: "help" } as const;
// An amount below zero is a bad amount, and not an unknown option.
const NEGATIVE = /^-[$.\d]/;

/** Sorts what was typed. Options may stand anywhere; after `--` everything is a word. */
export function parseArguments<const Kinds extends OptionKinds>(
  args: readonly string[],
  kinds: Kinds,
): Arguments<Kinds> {
  const words: string[] = [];
  const options: Record<string, string | true> = {};
  const end = args.indexOf("--");
  const before = end < 0 ? args : args.slice(0, end);
  for (let index = 0; index < before.length; index++) {
    const given = before[index] as string;
    if (!given.startsWith("-") || given === "-" || NEGATIVE.test(given)) {
      words.push(given);
      continue;
    }
    const { name, value } = optionIn(given, Object.keys(kinds));
    if (kinds[name] === "flag") {
      if (value !== undefined) throw wrongInput(`${JSON.stringify(given)}: --${name} takes no value.`);
      options[name] = true;
      continue;
    }
    const taken = value ?? before[++index];
    if (!taken) throw wrongInput(`--${name} needs a value: --${name} ${name.toUpperCase()}.`);
    options[name] = taken;
  }
  if (end >= 0) words.push(...args.slice(end + 1));
  return { words, options: options as Arguments<Kinds>["options"] };
}

function optionIn(given: string, known: readonly string[]): { name: string; value?: string } {
  const [, long, value] = /^--([^=]*)(?:=(.*))?$/s.exec(given) ?? [];
  const name = long ?? SHORT[given.slice(1) as keyof typeof SHORT];
  if (name === undefined || !known.includes(name)) {
    const typed = long === undefined ? given : `--${long}`;
    throw unknownWord(
      typed,
      "an option",
      known.map((option) => `--${option}`),
    );
  }
  return value === undefined ? { name } : { name, value };
}
