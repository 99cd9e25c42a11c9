import { join } from "node:path";
import { baseAddress } from "../gateway/addresses.ts";
import { codex } from "../gateway/agents/codex.ts";
import { KEY_HEADERS, withKey } from "../gateway/keys.ts";
import { addressOf, PROVIDERS } from "../gateway/providers.ts";
import { indexOfCommand, optionsAndRest, valuesOf, words } from "./command-line.ts";
import { directLoopback, leavesLoopbackDirect, usesProxy } from "./direct-loopback.ts";
import { type Launcher, managedElsewhere, type PersonsFiles, type Start } from "./launcher.ts";
import { envIn, tomlTexts } from "./settings-files.ts";

const HEADLESS = words("exec e review");
const INTERACTIVE = words("resume fork");
/** These work in a server that is already running, or elsewhere. */
const ELSEWHERE = words("agents queue remote-control cloud");
/** These send no requests to a model, and are started unchanged. */
const WITHOUT_MODEL = words(
  "login logout mcp plugin completion update doctor sandbox debug apply a archive delete migrate-rollouts " +
    "migrate-nfs-db unarchive exec-server features help",
);
const COMMANDS = [...HEADLESS, ...INTERACTIVE, ...ELSEWHERE, ...WITHOUT_MODEL, "app-server"];

const OPTIONS_WITH_VALUE = words(
  "-c --config --enable --disable --remote --remote-auth-token-env -i --image -m --model --local-provider " +
    "-p --profile -s --sandbox -C --cd --add-dir -a --ask-for-approval",
);

const OPENAI = "openai_base_url";

/** Settings that an organisation manages. They win over those on the command line. */
const MANAGED = "/etc/codex/managed_config.toml";
const LEADS_ELSEWHERE = /^(?:openai_base_url|model_provider|model_providers\..*)$/;

// A name with a dot cannot be written on the command line.
const BASE_URL = /^model_providers\.[\w-]+\.base_url$/;

/** Everybody on the machine can read a command line, so the key is in a variable, from which Codex makes a header. */
const KEY = "TURN_LIMIT_KEY";
const KEY_HEADER = `env_http_headers.${KEY_HEADERS.own}="${KEY}"`;

/** Its tool for questions works in every mode then. Codex would warn that this is new. */
const DIALOG = ["features.default_mode_request_user_input=true", "suppress_unstable_features_warning=true"];

/**
 * Codex is pointed at the gateway by settings on its command line. They keep the person's provider and login: only the
 * provider's address changes.
 */
export const launchCodex: Launcher = {
  name: codex.name,
  profile: codex,
  commands: ["codex"],
  packages: ["@openai/codex"],

  isHeadless: (args) => HEADLESS.includes(commandOf(args)),

  sessions: {
    options: {
      flags: words(
        "--json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust " +
          "--approve-for-me --full-auto --oss --strict-config --ignore-user-config --ignore-rules --no-daemon --search",
      ),
      values: words(
        "-c --config --enable --disable -m --model --local-provider -p --profile -s --sandbox -C --cd --add-dir " +
          "-a --ask-for-approval --output-schema --color -o --output-last-message",
      ),
    },
    unkept: ["--ephemeral"],
    resumed: (session, options, prompt, isHeadless) => [
      ...(isHeadless ? ["exec"] : []),
      ...options,
      "resume",
      session,
      prompt,
    ],
  },

  launched(start, { addresses, files, asksInDialog }) {
    const command = commandOf(start.args);
    if (WITHOUT_MODEL.includes(command)) return { args: start.args };
    const [options, rest] = optionsAndRest(start.args);
    const { id, providers } = providersOf(start, files);
    const settings = [
      `model_provider=${JSON.stringify(id)}`,
      // All of them, because agents that Codex starts itself may use others.
      ...providers.flatMap(({ setting, upstream }) => [
        `${setting}=${JSON.stringify(addresses.keyless(upstream))}`,
        ...(setting === OPENAI ? [] : [`${setting.replace(/base_url$/, "")}${KEY_HEADER}`]),
      ]),
      // With a ChatGPT login bodies are compressed with an algorithm that not every Node supports.
      "features.enable_request_compression=false",
      ...(asksInDialog && hasScreen(command) ? DIALOG : []),
    ];
    // Codex uses the last of several settings with the same name.
    const args = [...options, ...settings.flatMap((setting) => ["-c", setting]), ...rest];
    // The background server would keep the gateway's address when the gateway is gone.
    const alone = hasScreen(command) && !options.includes("--no-daemon") ? ["--no-daemon"] : [];
    const around = { ...start.env, ...ownVariables(start, files) };
    return {
      args: [...alone, ...args],
      variables: {
        ...(usesProxy(around) && directLoopback(around)),
        [KEY]: withKey(addresses.key, start.env[KEY]),
        // Codex sends it in a header to its own provider, which has no other that could be set.
        OPENAI_PROJECT: withKey(addresses.key, start.env.OPENAI_PROJECT),
      },
    };
  },

  problem(start, files) {
    const options = optionsAndRest(start.args)[0];
    const local = options.find((arg) => arg === "--oss" || arg === "--remote" || arg.startsWith("--remote="));
    const command = commandOf(start.args);
    if (ELSEWHERE.includes(command))
      return `"codex ${command}" works in a server that runs already, or elsewhere`;
    if (local)
      return `${local} makes Codex talk to another server, and its requests would bypass the gateway`;
    const managed = [...tomlTexts(files.read(MANAGED)).keys()].find((key) => LEADS_ELSEWHERE.test(key));
    if (managed !== undefined) return managedElsewhere(managed);
    const own = ownVariables(start, files);
    if (usesProxy({ ...start.env, ...own }) && !leavesLoopbackDirect(own))
      return "NO_PROXY in the file .env of Codex lacks 127.0.0.1, so a proxy would come between it and the gateway";
    const { id, isKnown } = providersOf(start, files);
    if (isKnown || WITHOUT_MODEL.includes(command)) return undefined;
    return `the model provider "${id}" of Codex has no base_url that can be replaced`;
  },
};

function hasScreen(command: string): boolean {
  return command === "" || INTERACTIVE.includes(command);
}

/** The command that is given. `""`: none, so what is given is a prompt. */
function commandOf(args: readonly string[]): string {
  const command = args[indexOfCommand(args, OPTIONS_WITH_VALUE)] ?? "";
  return COMMANDS.includes(command) ? command : "";
}

/** A provider, and the setting that says where its requests go. */
interface CodexProvider {
  readonly setting: string;
  readonly upstream: string;
}

/** The id of the provider that Codex would use, whether its address can be replaced, and all whose address can. */
function providersOf(
  start: Start,
  files: PersonsFiles,
): { id: string; isKnown: boolean; providers: CodexProvider[] } {
  const texts = settingsOf(start, files);
  const id = texts.get("model_provider") ?? "openai";
  const own = [...texts].filter(([setting, address]) => BASE_URL.test(setting) && baseAddress(address));
  const providers = [
    { setting: OPENAI, upstream: texts.get(OPENAI) || addressOf(PROVIDERS.openai) },
    ...own.map(([setting, upstream]) => ({ setting, upstream })),
  ];
  const isKnown = id === "openai" || own.some(([setting]) => setting === `model_providers.${id}.base_url`);
  return { id, isKnown, providers };
}

function folderOf({ env }: Start, { home }: PersonsFiles): string {
  return env.CODEX_HOME || join(home, ".codex");
}

/** The variables that Codex sets itself, over those with which it is started. */
function ownVariables(start: Start, files: PersonsFiles): Start["env"] {
  return envIn(files.read(join(folderOf(start, files), ".env")));
}

/** The person's settings. What comes later wins. */
function settingsOf(start: Start, files: PersonsFiles): Map<string, string> {
  const folder = folderOf(start, files);
  const profile = valuesOf(start.args, "-p", "--profile").at(-1);
  const names = profile === undefined ? ["config.toml"] : ["config.toml", `${profile}.config.toml`];
  const paths = ["/etc/codex/config.toml", ...names.map((name) => join(folder, name))];
  const given = valuesOf(start.args, "-c", "--config").map((setting) => {
    const [, key, value = ""] = /^([^=]+)=(.*)$/s.exec(setting) ?? [];
    // A value without quotes is a text, too.
    return key === undefined ? "" : `${key}=${/^\s*["'{]/.test(value) ? value : JSON.stringify(value)}`;
  });
  return new Map(
    [...paths.map((path) => files.read(path)), ...given].flatMap((toml) => [...tomlTexts(toml)]),
  );
}
