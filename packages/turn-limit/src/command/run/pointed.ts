import { fuseAddresses } from "../../gateway/profiles/fuse-addresses.ts";
import { fuseProblem } from "../../gateway/profiles/fuse-problems.ts";
import { withPiExtension } from "../../gateway/profiles/pi-command-line.ts";
import type { Addresses, PersonsFiles, Start } from "../../gateway/profiles/profile.ts";
import { cannotBeDone } from "../command-error.ts";
import { agentName } from "./agent-name.ts";
import type { RunOptions } from "./options.ts";

type Env = Start["env"];

/** How the agent is started, so that it talks to the gateway. */
export function pointed(options: RunOptions, env: Env, addresses: Addresses, files: PersonsFiles): Start {
  const routed = Object.entries(options.routes).map(([name, upstream]) => [name, addresses.to(upstream)]);
  const start = startOf(options, env, addresses, files);
  return { args: start.args, env: { ...start.env, ...Object.fromEntries(routed) } };
}

function startOf(options: RunOptions, env: Env, addresses: Addresses, files: PersonsFiles): Start {
  const { pointing, command, runnerArgs, args } = options;
  const forOthers = fuseAddresses(env, addresses);
  if (pointing) {
    const start = pointing.pointed({ args, env }, addresses, files);
    // Programs that the agent starts find the gateway as any program does.
    const own = Object.entries(start.env).filter(([name, value]) => value !== env[name]);
    return { args: [...runnerArgs, ...start.args], env: { ...forOthers, ...Object.fromEntries(own) } };
  }
  const start = withPiExtension([command, ...runnerArgs, ...args], forOthers, addresses, files);
  return { args: start.line.slice(1), env: start.env };
}

/** Checks that the agent's requests would come through the gateway, if it is started like this. */
export function requireWayThroughGateway(options: RunOptions, env: Env, files: PersonsFiles): void {
  const { pointing, command, runnerArgs, args, routes } = options;
  // Whoever names a variable knows where the program looks for it.
  const mayBeRouted = !pointing && Object.keys(routes).length > 0;
  const problem = pointing
    ? pointing.problem({ args, env }, files)
    : fuseProblem([command, ...runnerArgs, ...args], env, files);
  if (problem !== undefined && !mayBeRouted)
    throw cannotBeDone(`${agentName(options)} cannot be held to limits here: ${problem}.`);
}
