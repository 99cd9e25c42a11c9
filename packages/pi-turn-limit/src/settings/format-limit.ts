import { listed, PER } from "../core.ts";
import { PERIODS, perText } from "../limits/periods.ts";
import type { PiLimit } from "../limits/pi-limit.ts";
import type { TextForm } from "../limits/setting.ts";
import { type Path, pathTo, type Settings, valueAt } from "./settings.ts";

/** The text that says what holds, without what has its initial value. */
export function formatLimit(limit: PiLimit, values: Settings): string {
  return phrases(limit, values)
    .map(({ text }) => text)
    .join(" ");
}

/** The same without the maximum and the period: `stop reserve 10k`. */
export function formatPolicy(limit: PiLimit, values: Settings): string {
  return phrases(limit, values)
    .slice(1)
    .map(({ text }) => text)
    .join(" ");
}

/** The same with where it came from, part by part if that differs. */
export function describeLimit(limit: PiLimit, values: Settings, sourceOf: (path: Path) => string): string {
  const parts = phrases(limit, values);
  const [source, ...others] = new Set(parts.map(({ path }) => sourceOf(path)));
  if (others.length === 0) return `${formatLimit(limit, values)} (${source})`;
  return parts.map(({ path, text }) => `${text} (${sourceOf(path)})`).join(", ");
}

function phrases(limit: PiLimit, values: Settings): { path: Path; text: string }[] {
  const { max } = limit.settings;
  const path = pathTo(limit, "max");
  const value = valueAt(values, path) ?? "unlimited";
  const amount = max.inText.format(value as typeof max.initial);
  const first = { path, text: limit.per === undefined ? amount : `${amount} ${perText(limit.per)}` };
  if (value === "unlimited") return [first];
  const isSaid = (name: string) =>
    ![undefined, limit.settings[name]?.initial].includes(valueAt(values, pathTo(limit, name)));
  const others = followers(limit).flatMap(([name, { keyword, format, within }]) => {
    const path = pathTo(limit, name);
    const value = valueAt(values, path);
    if (!isSaid(name) || (within && !isSaid(within.setting))) return [];
    return [{ path, text: `${keyword === undefined ? "" : `${keyword} `}${format(value)}` }];
  });
  return [first, ...others];
}

/** The word that takes back what was set in a session: what is configured holds again. */
export const DEFAULT = "default";

/** What a text may say, in words. */
export function allowedText(limit: PiLimit): string {
  const { example, per, spent } = limit;
  const { amount } = limit.settings.max;
  const parts = followers(limit).flatMap(([, { called = [] }]) => called);
  const after = per === undefined ? `the ${amount.called}` : `"${perText(per)}"`;
  const may = parts.length === 0 ? "" : `; ${parts.join(" and ")} may follow ${after} (${example.join(" ")})`;
  const periods = per === undefined && spent ? `; ${allowedPeriods(limit)}` : "";
  return `${amount.allowed}, or unlimited${may}${periods}`;
}

function allowedPeriods(limit: PiLimit): string {
  const several = `${limit.example[0]}, ${periodExample(limit)}`;
  return `for a period, add ${PER} ${listed(PERIODS, "or")}; several with commas (${several})`;
}

function periodExample({ example: [first], suggestions = [] }: PiLimit): string {
  return suggestions.find((text) => text.includes(` ${PER} `)) ?? `${first} ${perText("day")}`;
}

/** The word that shows what a command and the panel accept. */
export const HELP = "help";

/** What a command and the panel accept, line by line. */
export function helpText(limit: PiLimit): string[] {
  const { example, per, spent, settings } = limit;
  const parts = followers(limit).flatMap(([, { called = [] }]) => called);
  const period = periodExample(limit);
  return [
    `${example[0]}: ${settings.max.amount.allowed}, or unlimited`,
    ...(settings.max.fixed
      ? [`p90, or p90 up to ${example[0]}: what 90 % of your own last runs took, at most ${example[0]}`]
      : []),
    ...(parts.length === 0 ? [] : [`${example.join(" ")}: with ${parts.join(" and ")}`]),
    ...(per === undefined && spent
      ? [`${period}: for a ${listed(PERIODS, "or")}`, `${example[0]}, ${period}: several, with commas`]
      : []),
    `${DEFAULT}: what is configured`,
  ];
}

/** A few texts that a command and the panel accept, in a sentence. */
export function examplesText({ example }: PiLimit): string {
  return `For example ${example[0]}, ${example.join(" ")} or unlimited. ${HELP} shows all that can be said.`;
}

/** What may follow the maximum in a text, by the names of the settings. */
export function followers({ settings }: PiLimit): [name: string, form: TextForm][] {
  return Object.entries(settings).flatMap(([name, { inText }]): [string, TextForm][] =>
    name === "max" || !inText ? [] : [[name, inText]],
  );
}
