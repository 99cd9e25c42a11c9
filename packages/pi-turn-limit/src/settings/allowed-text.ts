import { PER } from "../core.ts";
import { PERIODS, perText } from "../limits/periods.ts";
import type { PiLimit } from "../limits/pi-limits.ts";
import { followers } from "./text-parts.ts";

/** The word that takes back what was set in a session: what is configured holds again. */
export const DEFAULT = "default";

/** What a text may say, in words. */
export function allowedText(limit: PiLimit): string {
  const { amount, example, per, spent } = limit;
  const parts = followers(limit).map(([, { called }]) => called);
  const after = per === undefined ? `the ${amount.called}` : `"${perText(per)}"`;
  const may = parts.length === 0 ? "" : `; ${parts.join(" and ")} may follow ${after} (${example})`;
  const periods = per === undefined && spent ? `; ${allowedPeriods(limit)}` : "";
  return `${amount.allowed}, or unlimited${may}${periods}`;
}

function allowedPeriods({ example, suggestions = [] }: PiLimit): string {
  const [first] = example.split(" ");
  const period = suggestions.find((text) => text.includes(` ${PER} `)) ?? `${first} ${perText("day")}`;
  return `for a period, add ${PER} ${listed(PERIODS)}; several with commas (${first}, ${period})`;
}

/** The same, with why this text is not among it, where that may not be clear. */
export function allowedFor(limit: PiLimit, text: string): string {
  const words = text.toLowerCase().split(/\s+/);
  const lost = limit.per && limit.ofOneRun?.find((name) => words.includes(name));
  if (limit.per && lost) return `${allowedText(limit)}; a limit ${perText(limit.per)} has no ${lost}`;
  const hasNone = !limit.per && !limit.spent && words.includes(PER);
  return `${allowedText(limit)}${hasNone ? `; the ${limit.title ?? limit.settings.max.name(limit.noun)} has no period` : ""}`;
}

/** What a command and the panel accept, in words. */
export function allowedInSession(limit: PiLimit): string {
  return `${allowedText(limit)}; ${OR_DEFAULT}`;
}

/** What a command and the panel accept besides a limit. */
export const OR_DEFAULT = `or ${DEFAULT}, for what is configured`;

function listed(words: readonly string[]): string {
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
