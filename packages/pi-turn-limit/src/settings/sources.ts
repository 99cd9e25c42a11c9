import { invalid } from "../core.ts";
import { limitAt, withPeriods } from "../limits/limit-of.ts";
import { commandFor, type RefusedSource, sourceWithPeriod } from "../limits/other-boundaries.ts";
import type { PiLimit } from "../limits/pi-limit.ts";
import { type TextInput, textInputs } from "./limit-text.ts";
import { aboutFile, refusal } from "./problems.ts";
import {
  completed,
  entriesOf,
  type Path,
  type Settings,
  settingAt,
  settingsFrom,
  valueAt,
  valueFor,
} from "./settings.ts";
import { keysOfFiles, readSettingsFile, type SettingsFile, settingsIn } from "./settings-file.ts";

/** Everything that configuration is read from, as it was when a session started. */
export interface Configuration {
  flag(name: string): string | undefined;
  env(name: string): string | undefined;
  readonly project: SettingsFile;
  readonly user: SettingsFile;
  /** May the project allow more than the person's own settings do? Only the person can say so. */
  readonly projectMayRaise: boolean;
}

/** A source of settings, by its name in messages. */
export interface Source {
  readonly name: string;
  readonly settings: Settings;
  /** Is it the person's own file? */
  readonly isYours?: boolean;
  /** Is it a flag or a variable with which Pi was started? */
  readonly isOfStart?: boolean;
}

/** A limit that was set to something that is none, with no other source to say what it is. */
export interface RefusedLimit extends RefusedSource {
  /** The limit; where that is not known, every one that it may be. None where it may be any. */
  readonly limits: readonly PiLimit[];
}

/** The name of the source that holds where no other says anything. */
export const BUILT_IN = "default";

const PROJECT_MAY_RAISE = "projectMayRaise";

/** Reads everything once, so that a file edited later changes nothing for this session. */
export function readConfiguration(from: {
  flag(name: string): unknown;
  userFile: string;
  /** Left out when the project is not trusted. */
  projectFile: string | undefined;
}): Configuration {
  const keys = keysOfFiles();
  const user = readSettingsFile(from.userFile, [...keys, PROJECT_MAY_RAISE]);
  const project = from.projectFile
    ? readSettingsFile(from.projectFile, keys)
    : { path: ".pi/turn-limit.json", values: {}, problems: [] };
  const mayRaise = user.values[PROJECT_MAY_RAISE];
  const environment = { ...process.env };
  return {
    flag: (name) => {
      const value = from.flag(name);
      return typeof value === "string" ? value : undefined;
    },
    env: (name) => environment[name] || undefined,
    project,
    user: typeof mayRaise === "boolean" || mayRaise === undefined ? user : refuseMayRaise(user, mayRaise),
    projectMayRaise: mayRaise === true,
  };
}

/**
 * The sources, the strongest first: flags, environment, project, person, defaults. A bad value is refused with its
 * source and what is allowed, and the next source is used. It never means unlimited: `refused` has the limits about
 * which no other source of the person says anything.
 */
export function resolve({ flag, env, project, user, projectMayRaise }: Configuration): {
  sources: Source[];
  problems: string[];
  refused: RefusedLimit[];
} {
  const problems: string[] = [];
  const refused: RefusedLimit[] = [];

  function read(name: string, text: string | undefined, input: TextInput): Source[] {
    if (text === undefined) return [];
    const said = input.read(text);
    for (const { name: called, why, limits } of said.refused) {
      problems.push(invalid(called, why, name));
      const [limit, ...others] = limits;
      const source = sourceWithPeriod(name, others.length > 0 ? undefined : limit?.per);
      if (limit) refused.push({ source, command: commandFor(limit), limits });
    }
    return [{ name, settings: said.settings, isOfStart: true }];
  }

  const inputs = textInputs();
  const flags = inputs.flatMap((input) => read(`--${input.flag}`, flag(input.flag), input));
  const environment = inputs.flatMap((input) => read(input.env, env(input.env), input));
  const theirs = settingsIn(project);
  const yours = settingsIn(user);
  const bounded = withinBounds(theirs.settings, completed(yours.settings));
  const raised = projectMayRaise ? [] : bounded.refused;
  problems.push(
    ...aboutFile(project.path, [
      ...project.problems,
      ...theirs.problems,
      ...raised.map(({ what, why }) => `${what} is ignored: ${why}.`),
      ...(raised.length > 0 ? [`To allow it, set "${PROJECT_MAY_RAISE}": true in ${user.path}.`] : []),
    ]),
    ...aboutFile(user.path, [...user.problems, ...yours.problems]),
  );
  refused.push(...refusedIn(project, theirs.refused), ...refusedIn(user, yours.refused));
  const ofProject = {
    name: `project settings, ${project.path}`,
    settings: projectMayRaise ? theirs.settings : bounded.settings,
  };
  const ofPerson = { name: `your settings, ${user.path}`, settings: yours.settings, isYours: true };
  const defaults = { name: BUILT_IN, settings: completed({}) };
  // Nobody knows how much the person meant to allow, so nobody knows whether a project's limit raises it.
  const settling = [...flags, ...environment, ...(projectMayRaise ? [ofProject] : []), ofPerson];
  const isLimited = (limit: PiLimit) =>
    settling.some(({ settings }) => valueFor(settings, limit) !== undefined) ||
    typeof valueFor(defaults.settings, limit) === "number";
  const isNeeded = ({ limits: [limit, ...others] }: RefusedLimit, index: number) =>
    !limit || others.length > 0 || (!isLimited(limit) && isStrongest(limit, refused, index));
  return {
    sources: [...flags, ...environment, ofProject, ofPerson, defaults],
    problems,
    refused: refused.filter(isNeeded),
  };
}

/** The limits that a file sets and that could not be read. A key that nobody knows may be a limit, misspelt. */
function refusedIn(
  { path, isBroken, unknown = [] }: SettingsFile,
  maximums: readonly Path[],
): RefusedLimit[] {
  if (isBroken) return [{ source: path, limits: [] }];
  const misspelt = unknown.filter((key) => key !== PROJECT_MAY_RAISE);
  return [
    ...misspelt.map((key) => ({ source: `"${key}" in ${path}`, limits: [] })),
    ...maximums.map((at): RefusedLimit => {
      const place = settingAt(at) ? at.slice(0, -1) : at;
      const limit = limitAt(place);
      const limits = !limit ? [] : place === at ? withPeriods(limit) : [limit];
      return { source: `"${place.join(".")}" in ${path}`, command: limit && commandFor(limit), limits };
    }),
  ];
}

/** Is this the strongest source of the limit? */
function isStrongest({ key }: PiLimit, refused: readonly RefusedLimit[], index: number): boolean {
  return refused.findIndex(({ limits }) => limits.length === 1 && limits[0]?.key === key) === index;
}

/** Do these settings say what a limit is that was refused? */
export function isSettled({ limits }: RefusedLimit, settings: Settings): boolean {
  return limits.some((limit) => valueFor(settings, limit) !== undefined);
}

function refuseMayRaise(file: SettingsFile, value: unknown): SettingsFile {
  const problem = `"${PROJECT_MAY_RAISE}": ${refusal("setting", value, "true or false")}`;
  return { ...file, problems: [...file.problems, problem] };
}

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
): { settings: Settings; refused: OutOfBounds[] } {
  const refused: OutOfBounds[] = [];
  const allowed = entriesOf(project).filter(([path, theirs]) => {
    const { setting, name } = settingAt(path) ?? {};
    const why = setting?.objection(theirs, valueAt(person, path) ?? setting.initial);
    if (why !== undefined) refused.push({ what: `The ${name} ${setting?.format(theirs)}`, why });
    return why === undefined;
  });
  return { settings: settingsFrom(allowed), refused };
}
