import { join } from "node:path";
import { geminiCli } from "../gateway/agents/gemini-cli.ts";
import { objectIn, textIn } from "../gateway/protocols/parts-of-json.ts";
import { optionsAndRest, words } from "./command-line.ts";
import type { Launcher } from "./launcher.ts";
import { inNamedSession, namedSession } from "./named-session.ts";
import { settingsIn } from "./settings-files.ts";

const OTHER_LOGINS = ["GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA"];

/** Gemini CLI finds the gateway in its environment, if it logs in with a key. */
export const launchGeminiCli: Launcher = {
  name: geminiCli.name,
  profile: geminiCli,
  commands: ["gemini"],
  packages: ["@google/gemini-cli"],
  // A prompt without an option is typed on its screen.
  isHeadless: (args) => optionsAndRest(args)[0].some((arg) => /^(?:-[a-z]*p|--prompt(?:=|$))/.test(arg)),
  // It waits for Ctrl+C, which reaches it as a signal then.
  takesKeys: true,

  sessions: {
    options: {
      flags: words(
        "-d --debug --skip-trust -s --sandbox -y --yolo --screen-reader --raw-output --accept-raw-output-risk",
      ),
      values: words("-m --model --approval-mode -o --output-format"),
      lists: words(
        "--policy --admin-policy --allowed-mcp-server-names --allowed-tools -e --extensions --include-directories",
      ),
    },
    unkept: [],
    named: namedSession,
    resumed: inNamedSession,
  },

  problem({ env }, files) {
    const variable = OTHER_LOGINS.find((name) => env[name] === "true" || env[name] === "1");
    if (variable) return `${variable} is set: Gemini CLI then talks to another service of Google's`;
    const home = env.GEMINI_CLI_HOME || files.home;
    const paths = [
      env.GEMINI_CLI_SYSTEM_DEFAULTS_PATH || "/etc/gemini-cli/system-defaults.json",
      join(home, ".gemini", "settings.json"),
      join(files.folder, ".gemini", "settings.json"),
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
      `write {"security":{"auth":{"selectedType":"gemini-api-key"}}} in ${join(home, ".gemini", "settings.json")}`
    );
  },
};
