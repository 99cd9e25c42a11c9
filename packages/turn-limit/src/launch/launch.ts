import { InvalidLimit } from "../core/errors/invalid-limit.ts";
import { A_BASE_ADDRESS, baseAddress, withoutCredentials } from "../gateway/addresses.ts";
import type { Profile } from "../gateway/agents/profile.ts";
import type { Addresses } from "../gateway/gateway.ts";
import { addressOf, PROVIDERS } from "../gateway/providers.ts";
import { launchClaudeCode } from "./claude-code.ts";
import { launchCodex } from "./codex.ts";
import { withDirectLoopback } from "./direct-loopback.ts";
import { launchGeminiCli } from "./gemini-cli.ts";
import type { Launcher, Start, Way } from "./launcher.ts";
import { launchOpencode } from "./opencode.ts";
import { launchPi } from "./pi.ts";
import { launchQwenCode } from "./qwen-code.ts";

/** The agents that are known. */
export const LAUNCHERS: readonly Launcher[] = [
  launchClaudeCode,
  launchCodex,
  launchOpencode,
  launchGeminiCli,
  launchQwenCode,
  launchPi,
];

/** The agents whose requests are recognised. */
export const PROFILES: readonly Profile[] = LAUNCHERS.flatMap(({ profile }) => profile ?? []);

type Routes = Readonly<Record<string, string>>;

/**
 * The environment of every program below a run. In it each program finds the gateway, as far as variables can say it.
 * `routes`: further variables, and the providers that they stand for.
 */
export function environmentFor(env: Start["env"], way: Way, routes: Routes = {}): Start["env"] {
  const ofAgents = LAUNCHERS.map((launcher) => launcher.variables?.(env, way));
  const known = through(upstreamVariables(env), way.addresses);
  return withDirectLoopback({
    ...Object.assign({ ...env }, known, ...ofAgents),
    ...through(routes, way.addresses),
  });
}

/** How an agent is started so that its requests, and those of programs that it starts, pass through the gateway. */
export function launched(launcher: Launcher, start: Start, way: Way, routes: Routes = {}): Start {
  const { args, variables } = launcher.launched?.(start, way) ?? { args: start.args };
  const env = { ...environmentFor(start.env, way, routes), ...variables, ...through(routes, way.addresses) };
  return { args, env };
}

function through(upstreams: Routes, addresses: Addresses): Record<string, string> {
  const addressOfGateway = ([name, upstream]: [string, string]) => {
    if (!baseAddress(upstream)) throw new InvalidLimit(name, withoutCredentials(upstream), A_BASE_ADDRESS);
    return [name, addresses.to(upstream)];
  };
  return Object.fromEntries(Object.entries(upstreams).map(addressOfGateway));
}

/** The variables in which programs and libraries look for a provider's address, and where the provider is. */
const ADDRESS_VARIABLES: Routes = {
  ANTHROPIC_BASE_URL: PROVIDERS.anthropic.base,
  OPENAI_BASE_URL: addressOf(PROVIDERS.openai),
  GOOGLE_GEMINI_BASE_URL: PROVIDERS.google.base,
};

/**
 * The variables in which programs look for a provider, each with the address of the provider: the one that the person has
 * set, or the default. `routes` are further variables.
 */
export function upstreamVariables(env: Start["env"], routes: Routes = {}): Routes {
  const upstreams = Object.fromEntries(
    Object.entries(ADDRESS_VARIABLES).map(([name, real]) => [name, env[name] || real]),
  );
  // An older name for the same. A program that reads only this one would otherwise reach another provider.
  const older = env.OPENAI_API_BASE || (upstreams.OPENAI_BASE_URL as string);
  return { ...upstreams, OPENAI_API_BASE: older, ...routes };
}
