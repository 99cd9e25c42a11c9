import { join } from "node:path";
import { codex } from "../gateway/agents/codex.ts";
import { addressOf, PROVIDERS } from "../gateway/providers.ts";
import { indexOfCommand, optionsAndRest, valuesOf, words } from "./command-line.ts";
import type { Launcher, PersonsFiles, Start } from "./launcher.ts";
import { tomlTexts } from "./settings-files.ts";

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

  launched(start, addresses, files) {
    const command = commandOf(start.args);
    const provider = providerOf(start, files);
    if (WITHOUT_MODEL.includes(command) || provider.upstream === undefined) return { args: start.args };
    const [options, rest] = optionsAndRest(start.args);
    const settings = [
      `model_provider=${JSON.stringify(provider.id)}`,
      `${provider.setting}=${JSON.stringify(addresses.to(provider.upstream))}`,
      // With a ChatGPT login bodies are compressed with an algorithm that not every Node supports.
      "features.enable_request_compression=false",
    ];
    // Codex uses the last of several settings with the same name.
    const args = [...options, ...settings.flatMap((setting) => ["-c", setting]), ...rest];
    // The background server would keep the gateway's address when the gateway is gone.
    const usesServer = command === "" || INTERACTIVE.includes(command);
    const alone = usesServer && !options.includes("--no-daemon") ? ["--no-daemon"] : [];
    return { args: [...alone, ...args] };
  },

  problem(start, files) {
    const options = optionsAndRest(start.args)[0];
    const local = options.find((arg) => arg === "--oss" || arg === "--remote" || arg.startsWith("--remote="));
    const command = commandOf(start.args);
    if (ELSEWHERE.includes(command))
      return `"codex ${command}" works in a server that runs already, or elsewhere`;
    if (local)
      return `${local} makes Codex talk to another server, and its requests would bypass the gateway`;
    const { id, upstream } = providerOf(start, files);
    if (upstream !== undefined) return undefined;
    return `the model provider "${id}" of Codex has no base_url that can be replaced`;
  },
};

/** The command that is given. `""`: none, so what is given is a prompt. */
function commandOf(args: readonly string[]): string {
  const command = args[indexOfCommand(args, OPTIONS_WITH_VALUE)] ?? "";
  return COMMANDS.includes(command) ? command : "";
}

/** The provider that Codex would use, where its requests go, and the setting that says so. */
function providerOf(
  start: Start,
  files: PersonsFiles,
): { id: string; upstream: string | undefined; setting: string } {
  const texts = settingsOf(start, files);
  const id = texts.get("model_provider") ?? "openai";
  if (id === "openai") {
    return {
      id,
      upstream: texts.get("openai_base_url") || addressOf(PROVIDERS.openai),
      setting: "openai_base_url",
    };
  }
  const setting = `model_providers.${id}.base_url`;
  // A name with a dot cannot be written on the command line.
  return { id, upstream: /^[\w-]+$/.test(id) ? texts.get(setting) : undefined, setting };
}

/** The person's settings. What comes later wins. */
function settingsOf(start: Start, files: PersonsFiles): Map<string, string> {
  const folder = start.env.CODEX_HOME || join(files.home, ".codex");
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
