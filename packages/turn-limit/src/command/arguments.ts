import { baseAddress, withoutCredentials } from "../gateway/addresses.ts";
import { HelpRequested, unknownWord, wrongInput } from "./command-error.ts";

/**
 * The options of a command besides `--help`: `flag` stands alone, `value` is followed by one, `values` may be given
 * several times, and `shares` stands alone or is followed by shares in percent.
 */
export type OptionKinds = Readonly<Record<string, keyof OptionValues>>;

interface OptionValues {
  flag: true;
  value: string;
  values: string[];
  shares: true | string;
}

/** What was typed: the words, and the options with their values. */
export interface Arguments<Kinds extends OptionKinds> {
  words: string[];
  options: { [Name in keyof Kinds]?: OptionValues[Kinds[Name]] };
}

const HELP = "help";
const SHARES = /^(every-turn|[\d.,%]+)$/;
// An amount below zero is a bad amount, and not an unknown option.
const NEGATIVE = /^-[$.\d]/;

/** What may stand behind an option, where its name does not say it. */
const VALUES: Readonly<Record<string, string>> = {
  "max-requests": "200",
  "max-turns": "25",
  "max-tokens": "2m",
  "max-cost": "'$5'",
  "max-time": "2h",
  "max-plan": "'5h 80%'",
  "max-repeats": "3",
  "wrap-up": "3",
  "at-limit": "stop",
  unanswered: "park",
  unpriced: "stop",
  hold: "5m",
  price: "my-model=1.25/10",
  route: "NAME=ADDRESS",
  progress: "COMMAND",
  ask: "COMMAND",
  notify: "PLACE",
  "notify-on": "budget,end",
  "tell-message": "TEXT",
  "final-tool": "NAME",
  metrics: "NAME",
  port: "4747",
  per: "key",
  question: "ID",
  pool: "ID",
  profile: "ID",
};

/**
 * Sorts what was typed. Options may stand anywhere; after `--` everything is a word. `isBeforeCommand`: the first word is
 * a command of its own, and everything after it belongs to that command.
 */
export function parseArguments<const Kinds extends OptionKinds>(
  args: readonly string[],
  kinds: Kinds,
  isBeforeCommand = false,
): Arguments<Kinds> {
  const words: string[] = [];
  const options: Record<string, OptionValues[keyof OptionValues]> = {};
  for (let index = 0; index < args.length; index++) {
    const given = args[index] as string;
    if (given === "--") {
      words.push(...args.slice(index + 1));
      break;
    }
    if (!given.startsWith("-") || given === "-" || NEGATIVE.test(given)) {
      words.push(given);
      if (!isBeforeCommand) continue;
      words.push(...args.slice(index + 1));
      break;
    }
    const { name, value } = optionIn(given, [...Object.keys(kinds), HELP]);
    if (name === HELP) throw new HelpRequested();
    if (kinds[name] === "flag") {
      if (value !== undefined) throw wrongInput(`${JSON.stringify(given)}: --${name} takes no value.`);
      options[name] = true;
      continue;
    }
    if (kinds[name] === "shares") {
      const next = args[index + 1] ?? "-";
      // Between the option and -- is no command.
      const isValue = SHARES.test(next) || (!next.startsWith("-") && args[index + 2] === "--");
      options[name] = value ?? (isValue ? next : true);
      if (value === undefined && isValue) index += 1;
      continue;
    }
    const taken = value ?? (args[index + 1] === "--" ? undefined : args[++index]);
    if (!taken) throw wrongInput(`--${name} needs a value: --${name} ${VALUES[name] ?? name.toUpperCase()}.`);
    if (kinds[name] === "value") options[name] = taken;
    else options[name] = [...((options[name] as string[] | undefined) ?? []), taken];
  }
  return { words, options: options as Arguments<Kinds>["options"] };
}

function optionIn(given: string, known: readonly string[]): { name: string; value?: string } {
  const [, long, value] = /^--([^=]*)(?:=(.*))?$/s.exec(given) ?? [];
  const name = given === "-h" ? HELP : long;
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

/** The value of an option that takes one of some words. The first is the default. */
export function oneOfWords<Word extends string>(
  option: string,
  given: string | undefined,
  words: readonly [Word, ...Word[]],
): Word {
  if (given === undefined) return words[0];
  const found = words.find((word) => word === given);
  if (found !== undefined) return found;
  throw wrongInput(`${JSON.stringify(given)} from --${option} is not known. Use ${words.join(", ")}.`);
}

/** Reads `--route NAME=ADDRESS`: variables, and the base addresses of the providers that they stand for. */
export function readRoutes(given: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(given.map(route));
}

function route(given: string): [variable: string, upstream: string] {
  const [, variable, upstream = ""] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(given) ?? [];
  if (variable !== undefined && baseAddress(upstream)) return [variable, upstream];
  const shown =
    variable === undefined ? withoutCredentials(given) : `${variable}=${withoutCredentials(upstream)}`;
  throw wrongInput(
    `${JSON.stringify(shown)} from --route is not a variable with the base address of a provider. Use ` +
      "NAME=ADDRESS, such as OPENAI_BASE_URL=https://api.openai.com/v1.",
  );
}
