import type { LimitSetting } from "./LimitSetting.ts";
import type { SettingsFile } from "./settings-file.ts";
import type { Sources } from "./sources.ts";

/** A limit that is in force, and where it came from. */
export interface Resolved<T> {
  readonly value: T;
  readonly source: string;
}

/** The configured value of a limit: the first source that says a good one. */
export interface Resolution<T> extends Resolved<T> {
  /** What was refused on the way, each a sentence for the person. */
  readonly problems: readonly string[];
}

/**
 * Looks through flag, environment, project and user settings, in that order. A bad value is refused
 * with its source and what is allowed, and the next source is used: it never means unlimited.
 */
export function resolve<T>(setting: LimitSetting<T>, sources: Sources): Resolution<T> {
  const problems: string[] = [];

  function fromText(source: string, text: string | undefined): Resolved<T> | undefined {
    if (text === undefined) return undefined;
    const value = setting.parseText(text);
    if (value !== undefined) return { value, source };
    problems.push(refusal(setting, text, source, setting.allowedText));
    return undefined;
  }

  function fromFile(whose: string, file: SettingsFile): Resolved<T> | undefined {
    const json = file.values[setting.key];
    if (json === undefined) return undefined;
    const value = setting.parseJson(json);
    if (value !== undefined) return { value, source: `${whose} settings, ${file.path}` };
    problems.push(refusal(setting, json, `"${setting.key}" of ${file.path}`, setting.allowedJson));
    return undefined;
  }

  const flag = fromText(`--${setting.flag}`, sources.flag(setting.flag));
  const env = fromText(setting.env, sources.env(setting.env));
  const project = fromFile("project", sources.project);
  const person = fromFile("your", sources.user) ?? { value: setting.default, source: "default" };

  const raises = project && !sources.projectMayRaise && setting.isLooser(project.value, person.value);
  if (raises) problems.push(raiseRefusal(setting, project, person, sources));

  const inForce = flag ?? env ?? (raises ? undefined : project) ?? person;
  return { ...inForce, problems };
}

function refusal<T>(setting: LimitSetting<T>, value: unknown, source: string, allowed: string): string {
  return `Invalid ${setting.name} ${shown(value)} from ${source}. Allowed: ${allowed}. It is ignored.`;
}

function raiseRefusal<T>(
  setting: LimitSetting<T>,
  project: Resolved<T>,
  person: Resolved<T>,
  { user }: Sources,
): string {
  return (
    `The ${setting.name} ${setting.format(project.value)} from ${project.source} is ignored: a project may lower ` +
    `your limit of ${setting.format(person.value)}, not raise it. To allow it, set "projectMayRaise": true in ${user.path}.`
  );
}

// JSON has no word for a number too large to be one, though JSON.parse makes one of it.
function shown(value: unknown): string {
  return typeof value === "number" ? String(value) : JSON.stringify(value);
}
