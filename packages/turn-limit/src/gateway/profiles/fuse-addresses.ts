import { withDirectLoopback } from "./direct-loopback.ts";
import type { Addresses, Start } from "./profile.ts";

/** The variables in which programs and libraries look for a provider's address, and where the provider is. */
const ADDRESS_VARIABLES: Readonly<Record<string, string>> = {
  ANTHROPIC_BASE_URL: "https://api.anthropic.com",
  OPENAI_BASE_URL: "https://api.openai.com/v1",
  OPENAI_API_BASE: "https://api.openai.com/v1",
  GOOGLE_GEMINI_BASE_URL: "https://generativelanguage.googleapis.com",
};

/**
 * Variables in which programs look for a provider, each with the address of the provider. An address that the person had
 * set stays the place where the requests go. `routes` are further variables.
 */
export function upstreamVariables(
  env: Start["env"],
  routes: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const upstreams = Object.entries(ADDRESS_VARIABLES).map(([name, real]) => [name, env[name] || real]);
  return { ...Object.fromEntries(upstreams), ...routes };
}

/** The environment in which a program of any kind finds the gateway. */
export function fuseAddresses(env: Start["env"], addresses: Addresses): Start["env"] {
  const all = Object.entries(upstreamVariables(env));
  return withDirectLoopback({
    ...env,
    ...Object.fromEntries(all.map(([name, to]) => [name, addresses.to(to)])),
  });
}
