import { addressOf, PROVIDERS } from "../gateway/providers.ts";
import type { Start } from "./launcher.ts";

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
