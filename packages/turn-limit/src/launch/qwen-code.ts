import { dirname, join } from "node:path";
import { qwenCode } from "../gateway/agents/qwen-code.ts";
import { objectIn, textIn } from "../gateway/protocols/parts-of-json.ts";
import type { Json } from "../gateway/protocols/protocol.ts";
import { addressOf, PROVIDERS } from "../gateway/providers.ts";
import { indexOfCommand, optionsAndRest, valuesOf, words } from "./command-line.ts";
import type { Launcher, PersonsFiles, Start } from "./launcher.ts";
import { inNamedSession, namedSession } from "./named-session.ts";
import { settingsIn } from "./settings-files.ts";

const ADDRESS = "OPENAI_BASE_URL";
const OPTIONS = ["--openai-base-url", "--openaiBaseUrl"];
const OPTIONS_WITH_VALUE = words(
  "--telemetry-target --telemetry-otlp-endpoint --telemetry-otlp-protocol --telemetry-outfile --proxy -m --model " +
    "--fallback-model --system-prompt --append-system-prompt --output-style --sandbox-image --approval-mode --channel " +
    "--allowed-mcp-server-names --mcp-config --allowed-tools -e --extensions --include-directories --add-dir " +
    "--openai-logging-dir --openai-api-key --openai-base-url --openaiBaseUrl --input-format -o --output-format --json-fd " +
    "--json-file --json-schema --input-file -r --resume --session-id --worktree --max-session-turns --max-wall-time " +
    "--max-tool-calls --max-subagent-depth --core-tools --exclude-tools --disabled-slash-commands --auth-type --authType",
);
const LOGINS_ELSEWHERE = ["qwen-oauth", "vertex-ai"];

/**
 * Qwen Code finds the gateway in its environment. An address on its command line would win over that, so it becomes the place
 * where the requests go from there. An address for a single model wins, too, and cannot be replaced.
 */
export const launchQwenCode: Launcher = {
  name: qwenCode.name,
  profile: qwenCode,
  commands: ["qwen"],
  packages: ["@qwen-code/qwen-code"],
  isHeadless(args) {
    const options = optionsAndRest(args)[0];
    if (options.some((arg) => /^(?:-[a-z]*i|--prompt-interactive(?:=|$))/.test(arg))) return false;
    if (options.some((arg) => /^(?:-[a-z]*p|--prompt(?:=|$))/.test(arg))) return true;
    return options.length < args.length || indexOfCommand(args, OPTIONS_WITH_VALUE) >= 0;
  },

  sessions: {
    options: {
      flags: words("-d --debug -s --sandbox -y --yolo --include-partial-messages --chat-recording"),
      values: words(
        "-m --model --fallback-model --approval-mode --auth-type --authType --channel -o --output-format --output-style " +
          "--max-session-turns --max-wall-time --max-tool-calls --max-subagent-depth --mcp-config --json-schema",
      ),
      lists: words(
        "--allowed-mcp-server-names --allowed-tools --core-tools --exclude-tools --disabled-slash-commands -e --extensions " +
          "--include-directories --add-dir",
      ),
    },
    unkept: ["--no-chat-recording", "--chat-recording=false"],
    named: namedSession,
    resumed: inNamedSession,
  },

  launched(start, { addresses, files }) {
    const [options, rest] = optionsAndRest(start.args);
    const kept = options.filter(
      (arg, at) => !isAddressOption(arg) && !OPTIONS.includes(options[at - 1] ?? ""),
    );
    return { args: [...kept, ...rest], variables: { [ADDRESS]: addresses.to(upstreamOf(start, files)) } };
  },

  problem({ args, env }, files) {
    const layers = layersOf(env, files);
    const found = layers.find(({ settings }) => hasAddressOfModel(settings));
    if (found)
      return `the addresses of modelProviders in ${found.path} win over ${ADDRESS}, so its requests would bypass the gateway`;
    const chosen = layers.map(({ settings }) => textIn(authIn(settings).selectedType));
    const login =
      valuesOf(args, "--auth-type", "--authType").at(-1) ?? chosen.findLast((type) => type !== undefined);
    return login !== undefined && LOGINS_ELSEWHERE.includes(login)
      ? `Qwen Code logs in by "${login}", and its requests would bypass the gateway`
      : undefined;
  },
};

function isAddressOption(arg: string): boolean {
  return OPTIONS.some((option) => arg === option || arg.startsWith(`${option}=`));
}

/** Where its requests would go. */
function upstreamOf({ args, env }: Start, files: PersonsFiles): string {
  const settings = layersOf(env, files).map(({ settings }) => settings);
  const inSettings = (read: (settings: Json) => unknown) =>
    settings.map((layer) => textIn(read(layer))).findLast((address) => address);
  return (
    valuesOf(args, ...OPTIONS).at(-1) ||
    env[ADDRESS] ||
    inSettings((layer) => objectIn(layer.env)[ADDRESS]) ||
    inSettings((layer) => authIn(layer).baseUrl) ||
    addressOf(PROVIDERS.openai)
  );
}

/** All of its settings. What comes later wins. */
function layersOf(env: Start["env"], files: PersonsFiles): { path: string; settings: Json }[] {
  const system = env.QWEN_CODE_SYSTEM_SETTINGS_PATH || "/etc/qwen-code/settings.json";
  const paths = [
    env.QWEN_CODE_SYSTEM_DEFAULTS_PATH || join(dirname(system), "system-defaults.json"),
    join(env.QWEN_HOME || join(files.home, ".qwen"), "settings.json"),
    join(files.folder, ".qwen", "settings.json"),
    system,
  ];
  return paths.map((path) => ({ path, settings: settingsIn(files.read(path)) }));
}

function authIn(settings: Json): Json {
  return objectIn(objectIn(settings.security).auth);
}

function hasAddressOfModel(settings: Json): boolean {
  return Object.values(objectIn(settings.modelProviders))
    .flat()
    .some((model) => objectIn(model).baseUrl !== undefined);
}
