import { type LimitTable, piLimits } from "../limits/pi-limits.ts";
import { entriesOf, type Settings, settingAt, settingsFrom, valueAt } from "./settings.ts";

/** A setting of a project that only the person's own may have. */
export interface OutOfBounds {
  /** What it is, and why it is ignored, as the middle of a sentence. */
  readonly what: string;
  readonly why: string;
}

/** Which of a project's settings count, and which are refused because they would loosen the person's own. */
export function withinBounds(
  project: Settings,
  person: Settings,
  table: LimitTable = piLimits,
): { settings: Settings; refused: OutOfBounds[] } {
  const refused: OutOfBounds[] = [];
  const allowed = entriesOf(project).filter(([path, theirs]) => {
    const { setting, name } = settingAt(path, table) ?? {};
    const why = setting?.objection(theirs, valueAt(person, path) ?? setting.initial);
    if (why !== undefined) refused.push({ what: `The ${name} ${setting?.format(theirs)}`, why });
    return why === undefined;
  });
  return { settings: settingsFrom(allowed), refused };
}
