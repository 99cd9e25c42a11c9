import { type PiLimit, pathOf } from "../limits/pi-limits.ts";
import type { TextForm } from "../limits/setting.ts";
import type { Path } from "./settings.ts";

/** What may follow the maximum in a text, by the names of the settings. */
export function followers({ settings }: PiLimit): [name: string, form: TextForm][] {
  return Object.entries(settings).flatMap(([name, { inText }]): [string, TextForm][] =>
    name === "max" || !inText ? [] : [[name, inText]],
  );
}

/** Where a setting of a limit is. */
export function pathIn({ key }: PiLimit, setting: string): Path {
  return [...pathOf(key), setting];
}
