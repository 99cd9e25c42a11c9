import { AsyncLocalStorage } from "node:async_hooks";
import type { Agent } from "@mastra/core/agent";
import type { HostedAgent } from "../shared/hosted-agent.ts";
import type { GovernedRun } from "./governed-run.ts";
import type { RunOptions } from "./run-options.ts";

/** A call of an agent, with its default options until the host has asked for them. */
interface CallScope {
  agent: Agent;
  run: GovernedRun | undefined;
  defaults?: RunOptions | undefined;
}

/** What the code that runs is a part of: a call of an agent, or a tool call of an agent that is governed. */
type Scope = CallScope | { caller: HostedAgent };

const scopes = new AsyncLocalStorage<Scope>();

/** Does the work as a part of this. */
export function inScope<Result>(scope: Scope, work: () => Result): Result {
  return scopes.run(scope, work);
}

/** The run of the call of this agent that the code is directly a part of, if it is governed. */
export function currentRun(agent: Agent): GovernedRun | undefined {
  return callScope(agent)?.run;
}

/** The default options of the agent for the call that the code is directly a part of. They are asked for once. */
export function takeDefaults(agent: Agent): RunOptions | undefined {
  const scope = callScope(agent);
  const defaults = scope?.defaults;
  if (scope) scope.defaults = undefined;
  return defaults;
}

/** The agent whose tool call the code is directly a part of, while its run is under way. */
export function currentCaller(): HostedAgent | undefined {
  const scope = scopes.getStore();
  if (!scope || !("caller" in scope)) return undefined;
  return scope.caller.run.facts.status === "idle" ? undefined : scope.caller;
}

function callScope(agent: Agent): CallScope | undefined {
  const scope = scopes.getStore();
  return scope && "agent" in scope && scope.agent === agent ? scope : undefined;
}
