import { join } from "node:path";
import { OPENAI, upstreamOfLogin } from "./chatgpt-login.ts";
import { optionsAndRest, placeOfCommand, valuesOf } from "./command-line.ts";
import { withDirectLoopback } from "./direct-loopback.ts";
import { jsonObject, textIn } from "./json-files.ts";
import type { PersonsFiles, Profile, Start } from "./profile.ts";
import { tomlTexts } from "./toml-texts.ts";

const HEADLESS = words("exec e review");
const INTERACTIVE = words("resume fork");
/** These work in a server that goes on, or somewhere else. */
const ELSEWHERE = words("agents queue remote-control cloud");
/** These ask no model. They are started as they are. */
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
 * Codex. It is pointed here by settings on its command line, which keep the person's provider and login: only the
 * provider's address changes.
 */
export const codex: Profile = {
  name: "Codex",
  id: "codex",
  commands: ["codex"],
  packages: ["@openai/codex"],
  tested: ["0.166.0"],
  // It waited for 6 minutes and would have waited longer.
  waitsFor: 5.5 * 60_000,

  version: (headers) => /^codex[\w-]*\/(\d[\w.-]*)/.exec(headers["user-agent"] ?? "")?.[1],

  isHeadless: (args) => HEADLESS.includes(commandOf(args)),

  pointed(start, addresses, files) {
    const env = withDirectLoopback(start.env);
    const command = commandOf(start.args);
    const provider = providerOf(start, files);
    if (WITHOUT_MODEL.includes(command) || provider.upstream === undefined) return { args: start.args, env };
    const [options, rest] = optionsAndRest(start.args);
    const settings = [
      `model_provider=${JSON.stringify(provider.id)}`,
      `${provider.setting}=${JSON.stringify(addresses.to(provider.upstream))}`,
      // With a ChatGPT login bodies are compressed, in a way that not every Node can read.
      "features.enable_request_compression=false",
    ];
    // Of several settings of one thing, Codex takes the last.
    const args = [...options, ...settings.flatMap((setting) => ["-c", setting]), ...rest];
    // The background server would keep the gateway's address when the gateway is gone.
    const usesServer = command === "" || INTERACTIVE.includes(command);
    const alone = usesServer && !options.includes("--no-daemon") ? ["--no-daemon"] : [];
    return { args: [...alone, ...args], env };
  },

  problem(start, files) {
    const options = optionsAndRest(start.args)[0];
    const local = options.find((arg) => arg === "--oss" || arg === "--remote" || arg.startsWith("--remote="));
    const command = commandOf(start.args);
    if (ELSEWHERE.includes(command))
      return `"codex ${command}" works in a server that runs already, or elsewhere`;
    if (local) return `${local} makes Codex talk to another server, and its requests do not come this way`;
    const { id, upstream } = providerOf(start, files);
    if (upstream !== undefined) return undefined;
    return `the model provider "${id}" of Codex has no base_url that can be replaced`;
  },

  upstream: upstreamOfLogin,

  recognise({ headers, body }) {
    const about = jsonObject(headers["x-codex-turn-metadata"]);
    const thread = textIn(about?.thread_id);
    if (!about || !thread) return undefined;
    const kind = about.request_kind;
    const source = about.thread_source;
    if (kind === "compaction") return { kind: "compaction" };
    if (kind === "prewarm" || source === "thread_title") return { kind: "aside" };
    if (kind !== "turn") return undefined;
    const turn = { kind, conversation: thread, same: body.input } as const;
    if (source === "subagent" || about.parent_thread_id) return { ...turn, isSubAgent: true };
    const trigger = about.turn_trigger;
    if (trigger === undefined) return undefined;
    const prompt = textIn(about.turn_id);
    const isPersons = source === "user" && (trigger === "user" || trigger === "exec") && prompt !== undefined;
    return { ...turn, isSubAgent: false, ...(isPersons ? { prompt } : {}) };
  },
};

function words(list: string): string[] {
  return list.split(" ");
}

/** The command that is given. `""`: none, so what is given is a prompt. */
function commandOf(args: readonly string[]): string {
  const command = args[placeOfCommand(args, OPTIONS_WITH_VALUE)] ?? "";
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
    return { id, upstream: texts.get("openai_base_url") || OPENAI, setting: "openai_base_url" };
  }
  const setting = `model_providers.${id}.base_url`;
  // A name with a dot in it cannot be said on the command line.
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
