import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { programOf } from "./command-line.ts";
import { jsonObject, objectIn, textIn } from "./json-files.ts";
import { PI_ADDRESSES } from "./pi-extension.ts";
import type { Addresses, PersonsFiles, Start } from "./profile.ts";

const NAMES = ["pi", "@earendil-works/pi-coding-agent"];

const EXTENSION = fileURLToPath(new URL(`./pi-extension${extname(import.meta.url)}`, import.meta.url));

/** Where the providers are that Pi knows by itself. Pi says which of them is where. Those with `/v1` are meant, too. */
const PROVIDERS: readonly string[] = [
  "https://ai-gateway.vercel.sh",
  "https://api.anthropic.com",
  "https://api.cerebras.ai",
  "https://api.deepseek.com",
  "https://api.fireworks.ai/inference",
  "https://api.groq.com/openai",
  "https://api.kimi.com/coding",
  "https://api.minimax.io/anthropic",
  "https://api.mistral.ai",
  "https://api.moonshot.ai",
  "https://api.openai.com",
  "https://api.together.ai",
  "https://api.x.ai",
  "https://api.z.ai/api/coding/paas/v4",
  "https://chatgpt.com/backend-api",
  "https://generativelanguage.googleapis.com/v1beta",
  "https://integrate.api.nvidia.com",
  "https://opencode.ai/zen",
  "https://opencode.ai/zen/go",
  "https://openrouter.ai/api",
  "https://router.huggingface.co",
];

/**
 * How a program is started, by its whole command line, so that it talks to the gateway if it is Pi. Pi looks for no
 * address in its environment, so it gets an extension for that. Another Pi, which an extension of the person's may start
 * as a process of its own, does not get it, and is not limited.
 */
export function withPiExtension(
  line: readonly string[],
  env: Start["env"],
  addresses: Addresses,
  files: PersonsFiles,
): { line: readonly string[]; env: Start["env"] } {
  const { name, words } = programOf(line);
  if (!NAMES.includes(name)) return { line, env };
  // Under another run, its gateway is the place where the requests go.
  const outer = jsonObject(env[PI_ADDRESSES]);
  const ways = [...PROVIDERS, ...ownAddresses(env, files)].map((upstream) => {
    // Pi looks for the provider's host in the address, to see what the provider is able to do.
    const way = `${addresses.to(textIn(outer?.[upstream]) ?? upstream)}@${new URL(upstream).host}`;
    return [upstream, way];
  });
  return {
    line: [...line.slice(0, words), "-e", EXTENSION, ...line.slice(words)],
    env: { ...env, [PI_ADDRESSES]: JSON.stringify(Object.fromEntries(ways)) },
  };
}

/** The addresses in the person's `models.json`. */
function ownAddresses(env: Start["env"], files: PersonsFiles): string[] {
  const folder = (env.PI_CODING_AGENT_DIR || "~/.pi/agent").replace(/^~(?=\/|$)/, files.home);
  const own = objectIn(jsonObject(files.read(join(folder, "models.json")))?.providers) ?? {};
  return Object.values(own)
    .flatMap((provider) => [provider, objectIn(provider)?.models].flat())
    .map((provider) => textIn(objectIn(provider)?.baseUrl)?.replace(/\/+$/, ""))
    .filter(
      (address) => address !== undefined && /^https?:\/\/[^{}?#]+$/.test(address) && URL.canParse(address),
    )
    .map(String);
}
