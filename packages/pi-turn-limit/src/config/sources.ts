import { readSettingsFile, type SettingsFile } from "./settings-file.ts";

/** Where configuration comes from, read once when a session starts. */
export interface Sources {
  flag(name: string): string | undefined;
  env(name: string): string | undefined;
  readonly project: SettingsFile;
  readonly user: SettingsFile;
  /** May the project allow more than the person's own settings do? Only the person can say so. */
  readonly projectMayRaise: boolean;
}

const PROJECT_MAY_RAISE = "projectMayRaise";

/** How to get at the sources of one session. */
export interface SourceOptions {
  flag(name: string): unknown;
  userFile: string;
  /** Left out when the project is not trusted. */
  projectFile: string | undefined;
  limitKeys: readonly string[];
}

/** Reads every source once, so that a file edited later changes nothing for this session. */
export function readSources({ flag, userFile, projectFile, limitKeys }: SourceOptions): Sources {
  const user = readSettingsFile(userFile, [...limitKeys, PROJECT_MAY_RAISE]);
  const project = projectFile
    ? readSettingsFile(projectFile, limitKeys)
    : { path: ".pi/turn-limit.json", values: {}, problems: [] };
  const mayRaise = user.values[PROJECT_MAY_RAISE];
  const environment = { ...process.env };
  return {
    flag: (name) => asText(flag(name)),
    env: (name) => environment[name] || undefined,
    project,
    user: typeof mayRaise === "boolean" || mayRaise === undefined ? user : refuseMayRaise(user, mayRaise),
    projectMayRaise: mayRaise === true,
  };
}

function refuseMayRaise(file: SettingsFile, value: unknown): SettingsFile {
  const problem = `Invalid ${PROJECT_MAY_RAISE} ${JSON.stringify(value)} in ${file.path}. Allowed: true or false. It is ignored.`;
  return { ...file, problems: [...file.problems, problem] };
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
