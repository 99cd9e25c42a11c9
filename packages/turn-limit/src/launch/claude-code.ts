import { join, resolve } from "node:path";
import { claudeCode } from "../gateway/agents/claude-code.ts";
import { objectIn } from "../gateway/protocols/parts-of-json.ts";
import type { Json } from "../gateway/protocols/protocol.ts";
import { PROVIDERS } from "../gateway/providers.ts";
import { optionsAndRest, valuesOf, words } from "./command-line.ts";
import { directLoopback, leavesLoopbackDirect, usesProxy } from "./direct-loopback.ts";
import {
  foldersOfProject,
  type Launcher,
  managedElsewhere,
  type PersonsFiles,
  type Start,
} from "./launcher.ts";
import { settingsIn } from "./settings-files.ts";

const BASE_ADDRESS = "ANTHROPIC_BASE_URL";

/** Set to send requests to another cloud, with a protocol that the gateway does not know. */
const OTHER_CLOUDS = [
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CODE_USE_FOUNDRY",
  "CLAUDE_CODE_USE_MANTLE",
  "CLAUDE_CODE_USE_ANTHROPIC_AWS",
  "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD",
];

/** Where an organisation manages settings, on each operating system. */
const MANAGED = [
  "/etc/claude-code",
  "/Library/Application Support/ClaudeCode",
  "C:\\Program Files\\ClaudeCode",
];

/** Settings that would lead elsewhere are off, also if they come from a file that is not read here. */
const NOT_ELSEWHERE = {
  ...Object.fromEntries(OTHER_CLOUDS.map((name) => [name, "0"])),
  ANTHROPIC_UNIX_SOCKET: "",
};

const BACKGROUND = ["--bg", "--background"];

/**
 * Claude Code is pointed at the gateway by an environment variable. Its settings files may set that variable as well, and
 * override it. Only settings on the command line override those, so they always say it, too.
 */
export const launchClaudeCode: Launcher = {
  name: claudeCode.name,
  profile: claudeCode,
  commands: ["claude"],
  packages: ["@anthropic-ai/claude-code"],

  isHeadless: (args) => optionsAndRest(args)[0].some((arg) => arg === "--print" || /^-c*pc*$/.test(arg)),

  sessions: {
    options: {
      flags: words(
        "--verbose --dangerously-skip-permissions --allow-dangerously-skip-permissions --strict-mcp-config " +
          "--include-partial-messages --ide --bare",
      ),
      values: words(
        "--model --fallback-model --effort --permission-mode --output-format --agent --setting-sources --settings " +
          "--permission-prompt-tool",
      ),
      lists: words(
        "--allowedTools --allowed-tools --disallowedTools --disallowed-tools --tools --add-dir --mcp-config",
      ),
    },
    unkept: ["--no-session-persistence"],
    // The session comes last, because a list of tools would take the prompt for one of them.
    resumed: (session, options, prompt, isHeadless) => [
      ...(isHeadless ? ["-p"] : []),
      ...options,
      "--resume",
      session,
      prompt,
    ],
  },

  launched(start, { addresses, files, keep }) {
    const { variables: set } = settingsOf(start, files);
    const upstream = set[BASE_ADDRESS] || start.env[BASE_ADDRESS] || PROVIDERS.anthropic.base;
    const address = addresses.to(upstream);
    const given = settingsOnCommandLine(start, files);
    // Settings may name a proxy as well.
    const around = { ...start.env, ...set };
    const direct = usesProxy(around) ? directLoopback(around) : {};
    const variables = { ...objectIn(given.env), ...NOT_ELSEWHERE, ...direct, [BASE_ADDRESS]: address };
    const settings = { ...given, env: variables };
    // In a file, because everybody on the machine can read a command line.
    const path = keep("claude-settings.json", JSON.stringify(settings));
    return {
      args: ["--settings", path, ...withoutSettings(start.args)],
      variables: { ...NOT_ELSEWHERE, [BASE_ADDRESS]: address },
    };
  },

  problem(start, files) {
    const { variables, managed } = settingsOf(start, files);
    const cloud = OTHER_CLOUDS.find((name) => isOn(variables[name] ?? start.env[name]));
    if (cloud)
      return `${cloud} is set: Claude Code then talks to another cloud, and its requests would bypass the gateway`;
    if (variables.ANTHROPIC_UNIX_SOCKET || start.env.ANTHROPIC_UNIX_SOCKET)
      return "ANTHROPIC_UNIX_SOCKET is set: Claude Code then talks to a socket, and its requests would bypass the gateway";
    if (!leavesLoopbackDirect(managed)) return managedElsewhere("NO_PROXY");
    if (managed[BASE_ADDRESS]) return managedElsewhere(BASE_ADDRESS);
    const option = optionsAndRest(start.args)[0].find((arg) => BACKGROUND.includes(arg));
    return option && `${option} starts a session that goes on after this command has ended`;
  },
};

interface Settings {
  /** The environment variables in settings. They override those with which it is started. */
  readonly variables: Record<string, string | undefined>;
  /** Those that the command line cannot override. */
  readonly managed: Record<string, string | undefined>;
}

function settingsOf(start: Start, files: PersonsFiles): Settings {
  const folder = start.env.CLAUDE_CONFIG_DIR || join(files.home, ".claude");
  const project = join(files.folder, ".claude");
  const read = (path: string) => variablesIn(settingsIn(files.read(path)));
  const managedFiles = MANAGED.flatMap((place) => [
    join(place, "managed-settings.json"),
    ...files.list(join(place, "managed-settings.d")),
  ]);
  const all = [...managedFiles, join(folder, "remote-settings.json")];
  const managed = Object.assign({}, ...all.map(read)) as Settings["managed"];
  const variables = {
    ...read(join(folder, "settings.json")),
    ...read(join(project, "settings.json")),
    // The one at the top of the repository holds in every folder of it.
    ...read(join(foldersOfProject(files)[0] ?? "", ".claude", "settings.local.json")),
    ...read(join(project, "settings.local.json")),
    ...variablesIn(settingsOnCommandLine(start, files)),
    ...managed,
  };
  return { variables, managed };
}

function variablesIn(settings: Json): Record<string, string | undefined> {
  const entries = Object.entries(objectIn(settings.env));
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value === undefined ? undefined : String(value)]),
  );
}

/** The settings given as JSON or as a file. Claude Code uses the last of several. */
function settingsOnCommandLine(start: Start, files: PersonsFiles): Json {
  const given = valuesOf(start.args, "--settings").at(-1)?.trim();
  if (given === undefined || given.startsWith("{")) return settingsIn(given);
  return settingsIn(files.read(resolve(files.folder, given)));
}

function withoutSettings(args: readonly string[]): string[] {
  const [options, rest] = optionsAndRest(args);
  const kept = options.filter(
    (arg, at) => !arg.startsWith("--settings=") && arg !== "--settings" && options[at - 1] !== "--settings",
  );
  return [...kept, ...rest];
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false", "no", "off"].includes(value.toLowerCase());
}
