import { dirname, join, resolve } from "node:path";
import type { Json } from "../protocols/protocol.ts";
import { OPENAI, upstreamOfLogin } from "./chatgpt-login.ts";
import { optionsAndRest, placeOfCommand, valuesOf } from "./command-line.ts";
import { withDirectLoopback } from "./direct-loopback.ts";
import { jsonObject, objectIn, textIn } from "./json-files.ts";
import type { PersonsFiles, Profile, SeenRequest, Start } from "./profile.ts";

const CONFIG = "OPENCODE_CONFIG_CONTENT";

/** Where the providers are that opencode knows by itself. */
const PROVIDERS: Readonly<Record<string, string>> = {
  anthropic: "https://api.anthropic.com/v1",
  cerebras: "https://api.cerebras.ai/v1",
  deepseek: "https://api.deepseek.com",
  "fireworks-ai": "https://api.fireworks.ai/inference/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
  groq: "https://api.groq.com/openai/v1",
  huggingface: "https://router.huggingface.co/v1",
  mistral: "https://api.mistral.ai/v1",
  moonshotai: "https://api.moonshot.ai/v1",
  openai: OPENAI,
  opencode: "https://opencode.ai/zen/v1",
  openrouter: "https://openrouter.ai/api/v1",
  xai: "https://api.x.ai/v1",
  zai: "https://api.z.ai/api/paas/v4",
  "zai-coding-plan": "https://api.z.ai/api/coding/paas/v4",
};

const OPTIONS_WITH_VALUE =
  "--log-level --port --hostname --mdns-domain --cors -m --model -s --session --prompt --agent".split(" ");

const TITLE = "You are a title generator";
const COMPACTION = "You are a context summarization agent";

/**
 * opencode. It is pointed here by a configuration in the environment, which is laid over the person's files. A provider
 * whose address is not known could pass by the gateway, so only those that are known can be used.
 */
export const opencode: Profile = {
  name: "opencode",
  id: "opencode",
  commands: ["opencode"],
  packages: ["opencode-ai"],
  tested: ["1.18.33"],
  // It closes the connection after 5 minutes.
  waitsFor: 4.5 * 60_000,

  version: (headers) => /^opencode\/(\d[\w.-]*)/.exec(headers["user-agent"] ?? "")?.[1],

  isHeadless: (args) =>
    args[placeOfCommand(args, OPTIONS_WITH_VALUE)] === "run" &&
    !optionsAndRest(args)[0].some((arg) => arg === "-i" || arg === "--interactive"),

  pointed(start, addresses, files) {
    const used = providersOf(start, files);
    const own = jsonObject(start.env[CONFIG]);
    const ownProviders = objectIn(own?.provider);
    const providers = [...used].map(([id, upstream]) => {
      const provider = objectIn(ownProviders?.[id]);
      // The address has no `/v1` of its own: with a ChatGPT login opencode sends such requests elsewhere.
      const options = { ...objectIn(provider?.options), baseURL: addresses.to(upstream) };
      return [id, { ...provider, options }] as const;
    });
    const config = {
      ...own,
      enabled_providers: [...used.keys()],
      provider: { ...ownProviders, ...Object.fromEntries(providers) },
    };
    return { args: start.args, env: withDirectLoopback({ ...start.env, [CONFIG]: JSON.stringify(config) }) };
  },

  problem(start, files) {
    const isAttached = start.args.some((arg) => arg === "--attach" || arg.startsWith("--attach="));
    if (isAttached || start.args[placeOfCommand(start.args, OPTIONS_WITH_VALUE)] === "attach") {
      return "opencode is attached to a server that runs already, and its requests do not come this way";
    }
    const models = configsOf(start, files).map((config) => textIn(config.model));
    const model =
      valuesOf(start.args, "-m", "--model").at(-1) ?? models.findLast((name) => name !== undefined);
    const provider = model?.split("/")[0];
    if (provider === undefined || providersOf(start, files).has(provider)) return undefined;
    return (
      `the address of the provider "${provider}" is not known, so opencode cannot use it here: ` +
      `write it in opencode.json, as provider.${provider}.options.baseURL`
    );
  },

  upstream: upstreamOfLogin,

  recognise({ headers, body }) {
    const session = headers["x-session-id"] ?? headers["x-opencode-session"];
    if (!session) return undefined;
    const tools = body.tools;
    if (Array.isArray(tools) && tools.length > 0) {
      return {
        kind: "turn",
        conversation: session,
        isSubAgent: headers["x-parent-session-id"] !== undefined,
      };
    }
    const system = systemText(body);
    if (system?.startsWith(COMPACTION)) return { kind: "compaction" };
    return system?.startsWith(TITLE) ? { kind: "aside" } : undefined;
  },
};

/** What the system says first, in the way of each protocol. */
function systemText(body: SeenRequest["body"]): string | undefined {
  const gemini = objectIn(body.systemInstruction)?.parts;
  const messages = body.messages ?? body.input;
  const first = Array.isArray(messages) ? objectIn(messages[0]) : undefined;
  return (
    firstText(body.system) ??
    textIn(body.instructions) ??
    firstText(gemini) ??
    (first?.role === "system" || first?.role === "developer" ? firstText(first.content) : undefined)
  );
}

function firstText(content: unknown): string | undefined {
  return textIn(Array.isArray(content) ? objectIn(content[0])?.text : content);
}

/** The providers that can be used, and where they are: those that are known, and that the person does not shut out. */
function providersOf(start: Start, files: PersonsFiles): Map<string, string> {
  const configs = configsOf(start, files);
  const upstreams = new Map(Object.entries(PROVIDERS));
  for (const config of configs) {
    for (const [id, provider] of Object.entries(objectIn(config.provider) ?? {})) {
      const given = addressIn(objectIn(provider), start.env);
      if (given === undefined) continue;
      // An address that cannot be read must not be taken for the usual one.
      if (/^https?:\/\/[^{}]+$/.test(given)) upstreams.set(id, given);
      else upstreams.delete(id);
    }
  }
  const allowed = configs.findLast((config) => Array.isArray(config.enabled_providers))?.enabled_providers;
  return new Map([...upstreams].filter(([id]) => !Array.isArray(allowed) || allowed.includes(id)));
}

/** The address that a configuration gives a provider. `{env:NAME}` in it stands for a variable. */
function addressIn(provider: Json | undefined, env: Start["env"]): string | undefined {
  const given = textIn(objectIn(provider?.options)?.baseURL) ?? textIn(provider?.api);
  return given?.replace(/\{env:([^}]+)\}/g, (_, name: string) => env[name] ?? "");
}

/** The person's configurations. What comes later wins. */
function configsOf(start: Start, files: PersonsFiles): Json[] {
  const { env } = start;
  const global = join(env.XDG_CONFIG_HOME || join(files.home, ".config"), "opencode");
  const projects = env.OPENCODE_DISABLE_PROJECT_CONFIG ? [] : foldersOfProject(files);
  const own = env.OPENCODE_CONFIG;
  const texts = [
    ...["config.json", "opencode.json", "opencode.jsonc"].map((name) => join(global, name)),
    ...(own ? [resolve(files.folder, own)] : []),
    ...projects.flatMap(configsIn),
    ...projects.flatMap((folder) => configsIn(join(folder, ".opencode"))),
    ...configsIn(join(files.home, ".opencode")),
    ...(env.OPENCODE_CONFIG_DIR ? configsIn(env.OPENCODE_CONFIG_DIR) : []),
  ].map((path) => files.read(path));
  return [...texts, env[CONFIG]].map(jsonObject).filter((config) => config !== undefined);
}

function configsIn(folder: string): string[] {
  return [join(folder, "opencode.json"), join(folder, "opencode.jsonc")];
}

/** The folders from the top of the project, or of the disk, down to the one in which opencode is started. */
function foldersOfProject(files: PersonsFiles): string[] {
  const folders = [files.folder];
  for (let at = files.folder; !files.exists(join(at, ".git")) && dirname(at) !== at; at = dirname(at)) {
    folders.unshift(dirname(at));
  }
  return folders;
}
