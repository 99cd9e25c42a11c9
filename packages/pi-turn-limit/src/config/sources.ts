import { type LimitTable, piLimits } from "../limits/pi-limits.ts";
import { type TextInput, textInputs } from "./limit-text.ts";
import { refusal } from "./problems.ts";
import { withinBounds } from "./project-bounds.ts";
import { completed, type Settings } from "./settings.ts";
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
}

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
 * source and what is allowed, and the next source is used: it never means unlimited.
 */
export function resolve(
  { flag, env, project, user, projectMayRaise }: Configuration,
  table: LimitTable = piLimits,
): { sources: Source[]; problems: string[] } {
  const problems: string[] = [...user.problems, ...project.problems];

  function read(name: string, text: string | undefined, input: TextInput): Source[] {
    const settings = text === undefined ? undefined : input.parse(text);
    if (settings) return [{ name, settings }];
    if (text !== undefined) problems.push(refusal(input.name, text, name, input.allowed));
    return [];
  }

  const inputs = textInputs(table);
  const flags = inputs.flatMap((input) => read(`--${input.flag}`, flag(input.flag), input));
  const environment = inputs.flatMap((input) => read(input.env, env(input.env), input));
  const theirs = settingsIn(project, table);
  const yours = settingsIn(user, table);
  const bounded = withinBounds(theirs.settings, completed(yours.settings, table), table);
  problems.push(...theirs.problems, ...yours.problems);
  if (!projectMayRaise) {
    problems.push(
      ...bounded.refused.map(
        ({ what, why }) =>
          `${what} from project settings, ${project.path} is ignored: ${why}. ` +
          `To allow it, set "${PROJECT_MAY_RAISE}": true in ${user.path}.`,
      ),
    );
  }
  return {
    sources: [
      ...flags,
      ...environment,
      {
        name: `project settings, ${project.path}`,
        settings: projectMayRaise ? theirs.settings : bounded.settings,
      },
      { name: `your settings, ${user.path}`, settings: yours.settings },
      { name: "default", settings: completed({}, table) },
    ],
    problems,
  };
}

function refuseMayRaise(file: SettingsFile, value: unknown): SettingsFile {
  const problem = `Invalid ${PROJECT_MAY_RAISE} ${JSON.stringify(value)} in ${file.path}. Allowed: true or false. It is ignored.`;
  return { ...file, problems: [...file.problems, problem] };
}
