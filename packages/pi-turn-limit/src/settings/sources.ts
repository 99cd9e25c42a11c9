import type { Tell } from "turn-limit";
import { invalid, requireTell, tellText } from "../core.ts";
import { limitAt, withPeriods } from "../limits/limit-of.ts";
import { commandFor, type RefusedSource, sourceWithPeriod } from "../limits/other-boundaries.ts";
import type { PiLimit } from "../limits/pi-limit.ts";
import { TELL } from "../limits/tell.ts";
import { type TextInput, textInputs } from "./limit-text.ts";
import { aboutFile, refusal } from "./problems.ts";
import {
  completed,
  entriesOf,
  merged,
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
  /** Are the sessions listed in the person's store while they work? */
  readonly isListed: boolean;
  readonly notify: NotifySource;
  /** The tool with which the agent gives its answer. Only the person can say so: its calls are no steps. */
  readonly finalTool?: string | undefined;
  /** A command that says whether a run gets somewhere. Left out: the files of the folder do. */
  readonly progress?: string | undefined;
  /** When the model is told what it has left. */
  readonly tell?: Tell | undefined;
}

/** Where the person is told and asked elsewhere, and of what besides questions: as they have set it, not checked yet. */
export interface NotifySource {
  /** Is anything of it set? */
  readonly isSet: boolean;
  readonly places: { readonly value: unknown; readonly source: string };
  readonly on: { readonly value: unknown; readonly source: string };
}

/** What a source of settings is called, and the file that it is. */
export interface SourceName {
  readonly name: string;
  readonly file?: string;
}

/** A source of settings. */
export interface Source extends SourceName {
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

/** The whole name of a source, in messages. */
export function sourceText({ name, file }: SourceName): string {
  return file === undefined ? name : `${name}, ${file}`;
}

const PROJECT_MAY_RAISE = "projectMayRaise";
const LISTED = "listed";
/** What only the person's own file may say besides limits: yes or no, and where they are told and asked. */
const SWITCHES = [PROJECT_MAY_RAISE, LISTED];
const NOTIFY = "notify";
const NOTIFY_ON = "notifyOn";
const FINAL_TOOL = "finalTool";
const PROGRESS = "progress";
/** The texts among them: what each is called, and what is allowed. */
const OWN_TEXTS = [
  [FINAL_TOOL, "final tool", "the name of a tool"],
  [PROGRESS, "progress", "a command of the shell"],
] as const;
const OWN_KEYS = [...SWITCHES, NOTIFY, NOTIFY_ON, FINAL_TOOL, PROGRESS, TELL];

/** Reads everything once, so that a file edited later changes nothing for this session. */
export function readConfiguration(from: {
  flag(name: string): unknown;
  userFile: string;
  /** Left out when the project is not trusted. */
  projectFile: string | undefined;
}): Configuration {
  const keys = keysOfFiles();
  const user = readSettingsFile(from.userFile, [...keys, ...OWN_KEYS]);
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
    user: OWN_TEXTS.reduce<SettingsFile>(
      (file, [key, name, allowed]) => refuseUnlessText(file, key, name, allowed),
      refuseUnlessTold(SWITCHES.reduce(refuseUnlessSwitch, user)),
    ),
    projectMayRaise: mayRaise === true,
    isListed: user.values[LISTED] !== false,
    notify: notifyIn(user),
    finalTool: textIn(user, FINAL_TOOL),
    progress: textIn(user, PROGRESS),
    tell: tellIn(user),
  };
}

/**
 * The sources, the strongest first: flags, environment, project, person, defaults. A bad value is refused with its
 * source and what is allowed, and the next source is used. It never means unlimited: `refused` has the limits about
 * which no other source of the person says anything.
 */
export function resolve({ flag, env, project, user, projectMayRaise, tell }: Configuration): {
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
  const bounded = withinBounds(theirs.settings, yours.settings);
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
    name: "project settings",
    file: project.path,
    settings: projectMayRaise ? theirs.settings : bounded.settings,
  };
  const ofPerson = {
    name: "your settings",
    file: user.path,
    // Left out is no word of theirs.
    settings:
      tell && Object.hasOwn(user.values, TELL)
        ? merged(yours.settings, { [TELL]: tellText(tell) })
        : yours.settings,
    isYours: true,
  };
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
  const misspelt = unknown.filter((key) => !OWN_KEYS.includes(key));
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

function notifyIn({ values, path }: SettingsFile): NotifySource {
  const at = (key: string) => ({ value: values[key], source: `"${key}" in ${path}` });
  const [places, on] = [at(NOTIFY), at(NOTIFY_ON)];
  return { isSet: places.value !== undefined || on.value !== undefined, places, on };
}

function refuseUnlessSwitch(file: SettingsFile, key: string): SettingsFile {
  const value = file.values[key];
  if (value === undefined || typeof value === "boolean") return file;
  const problem = `"${key}": ${refusal("setting", value, "true or false")}`;
  return { ...file, problems: [...file.problems, problem] };
}

/** The text that the file has there, if it has one. */
function textIn({ values }: SettingsFile, key: string): string | undefined {
  const text = values[key];
  return typeof text === "string" && text.trim() !== "" ? text : undefined;
}

function refuseUnlessText(file: SettingsFile, key: string, name: string, allowed: string): SettingsFile {
  const value = file.values[key];
  if (value === undefined || textIn(file, key) !== undefined) return file;
  return { ...file, problems: [...file.problems, `"${key}": ${refusal(name, value, allowed)}`] };
}

/** When the model is told what it has left, as the file says; `undefined`: it says something else. */
function tellIn({ values }: SettingsFile): Tell | undefined {
  try {
    return requireTell(values[TELL], TELL);
  } catch {
    return undefined;
  }
}

function refuseUnlessTold(file: SettingsFile): SettingsFile {
  if (tellIn(file) !== undefined) return file;
  const allowed =
    'true, false, "every turn", shares in percent above 0 and up to 100 such as [80, 90, 95], or an object with at and message';
  const problem = `"${TELL}": ${refusal("setting", file.values[TELL], allowed)}`;
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
