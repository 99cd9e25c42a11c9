import { perText } from "../limits/periods.ts";
import type { PiLimit } from "../limits/pi-limits.ts";
import { type Path, type Settings, valueAt } from "./settings.ts";
import { followers, pathIn } from "./text-parts.ts";

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
  const path = pathIn(limit, "max");
  const value = valueAt(values, path) ?? "unlimited";
  const amount = max.inText.format(value as typeof max.initial);
  const first = { path, text: limit.per === undefined ? amount : `${amount} ${perText(limit.per)}` };
  if (value === "unlimited") return [first];
  const others = followers(limit).flatMap(([name, { keyword, format }]) => {
    const path = pathIn(limit, name);
    const value = valueAt(values, path);
    if (value === undefined || value === limit.settings[name]?.initial) return [];
    return [{ path, text: `${keyword === undefined ? "" : `${keyword} `}${format(value)}` }];
  });
  return [first, ...others];
}
