import { capitalised, invalid, nearestWord, quoted } from "../core.ts";
import type { LimitFamily, PiLimit } from "../limits/pi-limit.ts";
import { DEFAULT } from "./format-limit.ts";
import { parseLimit } from "./limit-text.ts";

// What is said about one of several limits of a kind, after its name: `bash 30 stop`.

/** The tools that Pi knows. `isEvery`: there are no others. */
export interface KnownTools {
  readonly names: readonly string[];
  readonly isEvery: boolean;
}

/** The limit that a text names, and what it says about it. */
export function memberIn(family: LimitFamily, text: string): { limit: PiLimit; said: string } {
  const [name = ""] = text.trim().split(/\s/, 1);
  return { limit: family.member(name), said: text.trim().slice(name.length).trim() };
}

/** Why a text does not name a tool; nothing if it does. */
export function refusalOfName(family: LimitFamily, { member = "" }: PiLimit, tools: KnownTools) {
  const { example, noun, whyNoMember } = family;
  if (whyNoMember) {
    const why = whyNoMember(member);
    return why && invalid(`${noun} limit`, why);
  }
  if (tools.names.includes(member)) return undefined;
  const isAmount =
    member === "" || member.toLowerCase() === DEFAULT || parseLimit(family.member(example), member);
  const [first] = family.member(example).example;
  const why = isAmount
    ? `Begin with the name of the ${noun}: ${example} ${first}.`
    : whyNoTool(member, tools);
  return why && invalid(`${noun} limit`, capitalised(why));
}

/** Why no tool has this name; nothing if one has, or may have. */
export function whyNoTool(name: string, { names, isEvery }: KnownTools): string | undefined {
  if (names.includes(name)) return undefined;
  const meant = nearestWord(name, names);
  if (meant === undefined && !isEvery) return undefined;
  return `there is no tool ${quoted(name)}.${meant === undefined ? "" : ` Did you mean ${quoted(meant)}?`}`;
}
