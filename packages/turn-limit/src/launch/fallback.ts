import { basename, join } from "node:path";
import { objectIn, textIn } from "../gateway/protocols/parts-of-json.ts";
import type { Json } from "../gateway/protocols/protocol.ts";
import { programOf } from "./command-line.ts";
import type { Launcher, PersonsFiles, Start } from "./launcher.ts";
import { settingsIn } from "./settings-files.ts";

type Problem = (env: Start["env"], files: PersonsFiles) => string | undefined;

/** Programs without a launcher of their own that are known to ignore the variables, at least sometimes. */
const PROBLEMS: Readonly<Record<string, Problem>> = {
  gemini: (env, files) => {
    const paths = [
      env.GEMINI_CLI_SYSTEM_DEFAULTS_PATH || "/etc/gemini-cli/system-defaults.json",
      ...pathsIn(".gemini", files),
      env.GEMINI_CLI_SYSTEM_SETTINGS_PATH || "/etc/gemini-cli/settings.json",
    ];
    const logins = paths.map((path) => {
      const security = objectIn(settingsIn(files.read(path)).security);
      return textIn(objectIn(security.auth).selectedType);
    });
    const login = logins.findLast((type) => type !== undefined);
    if (login === "gemini-api-key") return undefined;
    if (login)
      return `Gemini CLI logs in by "${login}", and only with "gemini-api-key" do its requests pass through the gateway`;
    return (
      "Gemini CLI passes through the gateway only if its settings name the login: " +
      'write {"security":{"auth":{"selectedType":"gemini-api-key"}}} in ~/.gemini/settings.json'
    );
  },

  qwen: (_, files) => {
    const hasAddress = (settings: Json) =>
      Object.values(objectIn(settings.modelProviders))
        .flat()
        .some((model) => objectIn(model).baseUrl !== undefined);
    const path = pathsIn(".qwen", files).find((path) => hasAddress(settingsIn(files.read(path))));
    return (
      path &&
      `the addresses of modelProviders in ${path} win over OPENAI_BASE_URL, so its requests would bypass the gateway`
    );
  },
};

/** The packages that `npx` starts them from. */
const PACKAGES: Readonly<Record<string, string>> = {
  "@google/gemini-cli": "gemini",
  "@qwen-code/qwen-code": "qwen",
};

/** Any other program, by its command line. It finds the gateway in its environment. */
export function launchOther(line: readonly string[]): Launcher {
  const { name } = programOf(line);
  const program = Object.hasOwn(PACKAGES, name) ? (PACKAGES[name] as string) : name;
  const problem = Object.hasOwn(PROBLEMS, program) ? PROBLEMS[program] : undefined;
  return {
    name: basename(line[0] ?? ""),
    commands: [],
    packages: [],
    isHeadless: () => false,
    launched: ({ args }) => ({ args }),
    problem: ({ env }, files) => problem?.(env, files),
  };
}

/** The person's settings, and those of the project, which override them. */
function pathsIn(folder: string, files: PersonsFiles): string[] {
  return [join(files.home, folder, "settings.json"), join(files.folder, folder, "settings.json")];
}
