import type { StepCall } from "./repeated-calls.ts";

// What agents change in a call, and tools in a result, without meaning anything by it. Only what is certain: a number, such
// as the number of a page or how far something is, stays as it is.

/** Keys of arguments that say how a call is made, not what it does. */
const MANNER =
  /^(time_?out(_?(ms|s|secs|seconds))?|yield_time_ms|max_?wait(_?ms)?|attempts?|retry|retries|tries|try|iteration|nonce|request_?id|timestamp)$/i;
/** Keys whose value is typed into a shell, and what agents say of it beside it. */
const COMMAND = /^(command|cmd|script)$/i;
const REMARK = /^(description|justification|explanation|reason|purpose)$/i;

type Replacements = readonly (readonly [RegExp, string])[];

const IN_TEXTS: Replacements = [
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z| ?[+-]\d{2}:?\d{2})?/g, "<moment>"],
  // Seconds and milliseconds since 1970.
  [/(?<![\w.])1\d{9}(\d{3})?(?![\w.])/g, "<moment>"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"],
];

const IN_RESULTS: Replacements = [
  // Colours of a terminal.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  [/\u001b\[[0-9;?]*[ -/]*[@-~]/g, ""],
  ...IN_TEXTS,
  [/\b\d{1,2}:\d{2}:\d{2}([.,]\d+)?\b/g, "<moment>"],
  // How long something took, but not how long it will take.
  [
    /(?<![\w.])\d+(\.\d+)? ?(ns|µs|us|ms|s|secs?|seconds?|m|mins?|minutes?)\b(?! ?(left|remain|to go))/gi,
    "<duration>",
  ],
  [/\b0x[0-9a-f]{6,}\b/gi, "<address>"],
  [/\bpid[ =:]+\d+/gi, "pid <number>"],
  [/\b(chunk|request|trace)[ _-]?id[ =:"]+[\w-]+/gi, "$1 <id>"],
  // As long as names of fields are, so that no text makes this slow.
  [/"(\w{0,40}(duration|elapsed|wall_?time|took)\w{0,40})": ?\d+(\.\d+)?/gi, '"$1": <duration>'],
  [/\s+/g, " "],
];

const IN_PROGRAMS: Replacements = [
  ...IN_TEXTS,
  [/\btimeout( -\S+( \d+[smhd]?)?){0,8} \d+(\.\d+)?[smhd]?\b/g, "timeout <duration>"],
  [/--(time-?out|max-time|wait)([= ])\d+(\.\d+)?(ms|s|m|h)?\b/g, "--$1$2<duration>"],
  [/\bsleep \d+(\.\d+)?[smhd]?\b/g, "sleep <duration>"],
  [/\b(attempt|try|retry|iteration)([ #:=_-]*)\d+/gi, "$1$2<number>"],
];

const SPACE: Replacements[number] = [/\s+/g, " "];
const IN_COMMANDS: Replacements = [[/(^|\s)#(?![!]).*$/gm, "$1"], ...IN_PROGRAMS, SPACE];

/**
 * What is compared of a call, unless the host says: the tool and its arguments, without what agents vary without meaning.
 * That is space in a command, its comment, a moment, a longer timeout, and a counter of attempts.
 */
export function sameCall({ tool, args }: StepCall): unknown {
  // Some agents have a tool whose only argument is a program.
  return [tool, typeof args === "string" ? steady(args, IN_PROGRAMS) : steadyArguments(args)];
}

/** What is compared of a result: without moments, durations, colours, addresses in memory and the amount of space. */
export function sameResult(result: unknown): unknown {
  return mapTexts(result, (text) => steady(text, IN_RESULTS));
}

function steadyArguments(args: unknown): unknown {
  if (typeof args === "string") return steady(args, args.includes("\n") ? IN_TEXTS : [...IN_TEXTS, SPACE]);
  if (!isPlain(args)) return mapTexts(args, (text) => steady(text, IN_TEXTS));
  const hasCommand = Object.keys(args).some((key) => COMMAND.test(key));
  const kept = Object.entries(args).filter(([key]) => !MANNER.test(key) && !(hasCommand && REMARK.test(key)));
  // Without them nothing would be left to compare.
  const entries = kept.length > 0 ? kept : Object.entries(args);
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      COMMAND.test(key) ? mapTexts(value, (text) => steady(text, IN_COMMANDS)) : steadyArguments(value),
    ]),
  );
}

function steady(text: string, replacements: Replacements): string {
  return replacements.reduce((result, [what, by]) => result.replace(what, by), text).trim();
}

/** The same value with each text in it replaced. What is neither a plain object nor a list stays as it is. */
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, map)]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
