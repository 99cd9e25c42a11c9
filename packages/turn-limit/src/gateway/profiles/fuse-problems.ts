import { join } from "node:path";
import type { Json } from "../protocols/protocol.ts";
import { programOf } from "./command-line.ts";
import { jsonObject, objectIn, textIn } from "./json-files.ts";
import type { PersonsFiles, Start } from "./profile.ts";

type Problem = (env: Start["env"], files: PersonsFiles) => string | undefined;

/** Programs without a profile that are known not to go, or not always, where the variables say. */
const PROBLEMS: Readonly<Record<string, Problem>> = {
  gemini: (env, files) => {
    const paths = [
      env.GEMINI_CLI_SYSTEM_DEFAULTS_PATH || "/etc/gemini-cli/system-defaults.json",
      ...settingsIn(".gemini", files),
      env.GEMINI_CLI_SYSTEM_SETTINGS_PATH || "/etc/gemini-cli/settings.json",
    ];
    const logins = paths.map((path) => {
      const security = objectIn(jsonObject(files.read(path))?.security);
      return textIn(objectIn(security?.auth)?.selectedType);
    });
    const login = logins.findLast((type) => type !== undefined);
    if (login === "gemini-api-key") return undefined;
    if (login)
      return `Gemini CLI logs in by "${login}", and only with "gemini-api-key" do its requests come this way`;
    return (
      "Gemini CLI comes this way only if its settings name the login: " +
      'write {"security":{"auth":{"selectedType":"gemini-api-key"}}} in ~/.gemini/settings.json'
    );
  },

  qwen: (_, files) => {
    const hasAddress = (settings: Json | undefined) =>
      Object.values(objectIn(settings?.modelProviders) ?? {})
        .flat()
        .some((model) => objectIn(model)?.baseUrl !== undefined);
    const path = settingsIn(".qwen", files).find((path) => hasAddress(jsonObject(files.read(path))));
    return (
      path && `the addresses of modelProviders in ${path} win over OPENAI_BASE_URL, and do not lead this way`
    );
  },
};

/** The packages that `npx` starts them from. */
const PACKAGES: Readonly<Record<string, string>> = {
  "@google/gemini-cli": "gemini",
  "@qwen-code/qwen-code": "qwen",
};

/** Why requests of this program, by its command line, which has no profile, may not come this way. `undefined`: nothing is known. */
export function fuseProblem(
  line: readonly string[],
  env: Start["env"],
  files: PersonsFiles,
): string | undefined {
  const { name } = programOf(line);
  const program = Object.hasOwn(PACKAGES, name) ? (PACKAGES[name] as string) : name;
  return Object.hasOwn(PROBLEMS, program) ? PROBLEMS[program]?.(env, files) : undefined;
}

/** The person's own settings, and those of the project, which win. */
function settingsIn(folder: string, files: PersonsFiles): string[] {
  return [join(files.home, folder, "settings.json"), join(files.folder, folder, "settings.json")];
}
