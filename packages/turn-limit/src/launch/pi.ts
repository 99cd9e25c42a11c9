import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pi } from "../gateway/agents/pi.ts";
import { objectIn, textIn } from "../gateway/protocols/parts-of-json.ts";
import { PROVIDERS } from "../gateway/providers.ts";
import { optionsAndRest, valuesOf, words } from "./command-line.ts";
import type { Launcher, PersonsFiles, Start } from "./launcher.ts";
import { PI_ADDRESSES } from "./pi-extension.ts";
import { settingsIn } from "./settings-files.ts";

const EXTENSION = fileURLToPath(new URL(`./pi-extension${extname(import.meta.url)}`, import.meta.url));

/** The addresses of the providers that Pi may use, without `/v1`: the extension finds those with it as well. */
const ADDRESSES: readonly string[] = Object.values(PROVIDERS).map(({ base, version }) =>
  version === "/v1" ? base : base + version,
);

/** These manage packages, and send no requests. They have to come first on the command line. */
const WITHOUT_MODEL = words("install remove uninstall update list config");

/** Pi reads no base address from its environment, so an extension on its command line points it at the gateway. */
export const launchPi: Launcher = {
  name: pi.name,
  profile: pi,
  commands: ["pi"],
  packages: ["@earendil-works/pi-coding-agent"],
  isHeadless: (args) =>
    optionsAndRest(args)[0].some((arg) => arg === "-p" || arg === "--print") ||
    valuesOf(args, "--mode").at(-1) === "json",

  sessions: {
    options: {
      flags: words(
        "-nt --no-tools -nbt --no-builtin-tools -ne --no-extensions --no-mcp -ns --no-skills -np --no-prompt-templates " +
          "--no-themes -nc --no-context-files --verbose -a --approve -na --no-approve --offline",
      ),
      values: words(
        "--provider --model --mode --session-dir --models -t --tools -xt --exclude-tools --thinking -e --extension " +
          "--skill --prompt-template --theme --use-theme --tui-mode",
      ),
    },
    unkept: ["--no-session"],
    resumed: (session, options, prompt, isHeadless) => [
      ...options,
      "--session",
      session,
      ...(isHeadless ? ["-p"] : []),
      prompt,
    ],
  },

  variables(env, { addresses, files }) {
    // Within another run, the requests go to the gateway of that run.
    const outer = settingsIn(env[PI_ADDRESSES]);
    const pairs = [...ADDRESSES, ...ownAddresses(env, files)].map((upstream) => {
      // Pi looks for the provider's host in the address, to know its capabilities.
      return [upstream, `${addresses.to(textIn(outer[upstream]) ?? upstream)}@${new URL(upstream).host}`];
    });
    return { [PI_ADDRESSES]: JSON.stringify(Object.fromEntries(pairs)) };
  },

  launched({ args }) {
    const isReady = args.includes(EXTENSION) || WITHOUT_MODEL.includes(args[0] ?? "");
    return { args: isReady ? args : ["-e", EXTENSION, ...args] };
  },

  problem: () => undefined,
};

/** The addresses in the person's `models.json`. */
function ownAddresses(env: Start["env"], files: PersonsFiles): string[] {
  const folder = (env.PI_CODING_AGENT_DIR || "~/.pi/agent").replace(/^~(?=\/|$)/, files.home);
  const own = objectIn(settingsIn(files.read(join(folder, "models.json"))).providers);
  return Object.values(own)
    .flatMap((provider) => [provider, objectIn(provider).models].flat())
    .map((provider) => textIn(objectIn(provider).baseUrl)?.replace(/\/+$/, ""))
    .filter(
      (address) => address !== undefined && /^https?:\/\/[^{}?#]+$/.test(address) && URL.canParse(address),
    )
    .map(String);
}
