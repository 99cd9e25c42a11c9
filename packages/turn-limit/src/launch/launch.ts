import type { Profile } from "../gateway/agents/profile.ts";
import type { Addresses } from "../gateway/gateway.ts";
import { addressOf, PROVIDERS } from "../gateway/providers.ts";
import { launchClaudeCode } from "./claude-code.ts";
import { launchCodex } from "./codex.ts";
import { programOf } from "./command-line.ts";
import { launchOther } from "./fallback.ts";
import type { Launcher, PersonsFiles, Start } from "./launcher.ts";
import { launchOpencode } from "./opencode.ts";
import { launchPi } from "./pi.ts";

/** The agents with a launcher of their own. */
export const LAUNCHERS: readonly Launcher[] = [launchClaudeCode, launchCodex, launchOpencode, launchPi];

/** The agents whose requests are recognised. */
export const PROFILES: readonly Profile[] = LAUNCHERS.flatMap(({ profile }) => profile ?? []);

/**
 * How the agent of a command line is started, also by `npx`, and how many words of the line come before the agent's own
 * arguments.
 */
export function launcherOf(line: readonly string[]): { launcher: Launcher; words: number } {
  const { name, words, isPackage } = programOf(line);
  const launcher = LAUNCHERS.find(
    ({ commands, packages }) => commands.includes(name) || (isPackage && packages.includes(name)),
  );
  return launcher ? { launcher, words } : { launcher: launchOther(line), words: 1 };
}

/**
 * How an agent is started so that its requests, and those of programs that it starts, pass through the gateway: they find
 * it in their environment. `routes`: further variables, and the providers that they stand for.
 */
export function launched(
  launcher: Launcher,
  start: Start,
  addresses: Addresses,
  files: PersonsFiles,
  routes: Readonly<Record<string, string>> = {},
): Start {
  const { args, variables } = launcher.launched(start, addresses, files);
  const through = (upstreams: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(upstreams).map(([name, upstream]) => [name, addresses.to(upstream)]));
  const env = { ...start.env, ...through(upstreamVariables(start.env)), ...variables, ...through(routes) };
  return { args, env: withDirectLoopback(env) };
}

/** The variables in which programs and libraries look for a provider's address, and where the provider is. */
const ADDRESS_VARIABLES: Readonly<Record<string, string>> = {
  ANTHROPIC_BASE_URL: PROVIDERS.anthropic.base,
  OPENAI_BASE_URL: addressOf(PROVIDERS.openai),
  OPENAI_API_BASE: addressOf(PROVIDERS.openai),
  GOOGLE_GEMINI_BASE_URL: PROVIDERS.google.base,
};

/**
 * The variables in which programs look for a provider, each with the address of the provider: the one that the person has
 * set, or the default. `routes` are further variables.
 */
export function upstreamVariables(
  env: Start["env"],
  routes: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const upstreams = Object.entries(ADDRESS_VARIABLES).map(([name, real]) => [name, env[name] || real]);
  return { ...Object.fromEntries(upstreams), ...routes };
}

const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];

/** The environment in which an agent reaches the gateway directly, also where it uses a proxy for everything else. */
export function withDirectLoopback(env: Start["env"]): Start["env"] {
  const isSet = (name: string) => Boolean(env[name] || env[name.toLowerCase()]);
  if (!PROXIES.some(isSet)) return env;
  const hosts = [env.NO_PROXY, env.no_proxy]
    .flatMap((list) => list?.split(",") ?? [])
    .map((host) => host.trim());
  const direct = [...new Set([...hosts.filter(Boolean), "127.0.0.1", "localhost"])].join(",");
  return { ...env, NO_PROXY: direct, no_proxy: direct };
}
