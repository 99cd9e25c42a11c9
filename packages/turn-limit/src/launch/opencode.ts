import { extname, join, resolve } from "node:path";
import { opencode } from "../gateway/agents/opencode.ts";
import { objectIn, textIn } from "../gateway/protocols/parts-of-json.ts";
import type { Json } from "../gateway/protocols/protocol.ts";
import { addressOf, PROVIDERS } from "../gateway/providers.ts";
import { indexOfCommand, optionsAndRest, valuesOf, words } from "./command-line.ts";
import {
  foldersOfProject,
  type Launcher,
  managedElsewhere,
  type PersonsFiles,
  type Start,
} from "./launcher.ts";
import { settingsIn } from "./settings-files.ts";

const CONFIG = "OPENCODE_CONFIG_CONTENT";

/** What sees to it, inside opencode, that no other plugin leads its requests elsewhere; and where the gateway is. */
const PLUGIN = new URL(`./opencode-plugin${extname(import.meta.url)}`, import.meta.url).href;
const PLUGINS_GATEWAY = "TURN_LIMIT_OPENCODE_GATEWAY";

/** The providers that opencode knows by itself, and that were tested. */
const KNOWN = words(
  "anthropic cerebras deepseek fireworks-ai google groq huggingface mistral moonshotai openai opencode openrouter xai zai " +
    "zai-coding-plan",
) as (keyof typeof PROVIDERS)[];

const MANAGED = ["/etc/opencode", "/Library/Application Support/opencode", "C:\\ProgramData\\opencode"];

const OPTIONS_WITH_VALUE = words(
  "--log-level --port --hostname --mdns-domain --cors -m --model -s --session --prompt --agent",
);

/**
 * opencode is pointed at the gateway by a configuration in the environment, which overrides the person's files. Requests to
 * a provider whose address is not known would bypass the gateway, so only known providers are enabled.
 */
export const launchOpencode: Launcher = {
  name: opencode.name,
  profile: opencode,
  commands: ["opencode"],
  packages: ["opencode-ai"],

  isHeadless: (args) =>
    args[indexOfCommand(args, OPTIONS_WITH_VALUE)] === "run" &&
    !optionsAndRest(args)[0].some((arg) => arg === "-i" || arg === "--interactive"),

  sessions: {
    options: {
      flags: words("--print-logs --pure --thinking"),
      values: words("--log-level -m --model --agent --format --variant --dir"),
    },
    unkept: [],
    resumed: (session, options, prompt, isHeadless) =>
      isHeadless
        ? ["run", ...options, "--session", session, prompt]
        : [...options, "--session", session, "--prompt", prompt],
  },

  variables(env, { addresses, files }) {
    const used = providersOf(env, files);
    const own = settingsIn(env[CONFIG]);
    const ownProviders = objectIn(own.provider);
    const providers = [...used].map(([id, upstream]) => {
      const provider = objectIn(ownProviders[id]);
      // The address has no `/v1` of its own: with a ChatGPT login opencode sends such requests elsewhere.
      const options = { ...objectIn(provider.options), baseURL: addresses.to(upstream) };
      return [id, { ...provider, options }] as const;
    });
    const plugins = Array.isArray(own.plugin) ? own.plugin : [];
    const config = {
      ...own,
      plugin: [PLUGIN, ...plugins.filter((plugin) => plugin !== PLUGIN)],
      enabled_providers: [...used.keys()],
      provider: { ...ownProviders, ...Object.fromEntries(providers) },
    };
    const { origin } = new URL(addresses.to(PROVIDERS.anthropic.base));
    return { [CONFIG]: JSON.stringify(config), [PLUGINS_GATEWAY]: origin };
  },

  problem(start, files) {
    const managed = managedConfigs(start.env, files).find(
      (config) => config.provider ?? config.enabled_providers,
    );
    if (managed) return managedElsewhere(managed.provider ? "provider" : "enabled_providers");
    const isAttached = start.args.some((arg) => arg === "--attach" || arg.startsWith("--attach="));
    if (isAttached || start.args[indexOfCommand(start.args, OPTIONS_WITH_VALUE)] === "attach") {
      return "opencode is attached to a server that runs already, and its requests would bypass the gateway";
    }
    const models = configsOf(start.env, files).map((config) => textIn(config.model));
    const model =
      valuesOf(start.args, "-m", "--model").at(-1) ?? models.findLast((name) => name !== undefined);
    const provider = model?.split("/")[0];
    if (provider === undefined || providersOf(start.env, files).has(provider)) return undefined;
    return (
      `the address of the provider "${provider}" is not known, so opencode cannot use it here: ` +
      `write it in opencode.json, as provider.${provider}.options.baseURL`
    );
  },
};

/** The known providers that the person has not disabled, with their addresses. */
function providersOf(env: Start["env"], files: PersonsFiles): Map<string, string> {
  const configs = configsOf(env, files);
  const upstreams = new Map<string, string>(KNOWN.map((id) => [id, addressOf(PROVIDERS[id])]));
  for (const config of configs) {
    for (const [id, provider] of Object.entries(objectIn(config.provider))) {
      const given = addressIn(objectIn(provider), env);
      if (given === undefined) continue;
      // An address that cannot be resolved must not be replaced by the default one.
      if (/^https?:\/\/[^{}]+$/.test(given)) upstreams.set(id, given);
      else upstreams.delete(id);
    }
  }
  const allowed = configs.findLast((config) => Array.isArray(config.enabled_providers))?.enabled_providers;
  return new Map([...upstreams].filter(([id]) => !Array.isArray(allowed) || allowed.includes(id)));
}

/** The address that a configuration gives a provider. `{env:NAME}` in it stands for a variable. */
function addressIn(provider: Json, env: Start["env"]): string | undefined {
  const given = textIn(objectIn(provider.options).baseURL) ?? textIn(provider.api);
  return given?.replace(/\{env:([^}]+)\}/g, (_, name: string) => env[name] ?? "");
}

/** The person's configurations. What comes later wins. */
function configsOf(env: Start["env"], files: PersonsFiles): Json[] {
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
  return [...texts, env[CONFIG]].map(settingsIn);
}

/** The configurations that an organisation manages. They win over the one in the environment. */
function managedConfigs(env: Start["env"], files: PersonsFiles): Json[] {
  const folders = env.OPENCODE_TEST_MANAGED_CONFIG_DIR ? [env.OPENCODE_TEST_MANAGED_CONFIG_DIR] : MANAGED;
  return folders.flatMap(configsIn).map((path) => settingsIn(files.read(path)));
}

function configsIn(folder: string): string[] {
  return [join(folder, "opencode.json"), join(folder, "opencode.jsonc")];
}
