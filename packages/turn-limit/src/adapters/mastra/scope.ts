import { AsyncLocalStorage } from "node:async_hooks";
import type { Agent } from "@mastra/core/agent";
import type { HostedAgent } from "../shared/hosted-agent.ts";
import type { AgentCall } from "./agent-call.ts";

/** What the code that runs is a part of: a call of an agent, or a tool call of an agent that is governed. */
type Scope = { agent: Agent; call: AgentCall } | { caller: HostedAgent };

const scopes = new AsyncLocalStorage<Scope>();

/** Does the work as a part of this. */
export function inScope<Result>(scope: Scope, work: () => Result): Result {
  return scopes.run(scope, work);
}

/** The call of this agent that the code is directly a part of. */
export function currentCall(agent: Agent): AgentCall | undefined {
  const scope = scopes.getStore();
  return scope && "call" in scope && scope.agent === agent ? scope.call : undefined;
}

/** The agent whose tool call the code is directly a part of, while its run is under way. */
export function currentCaller(): HostedAgent | undefined {
  const scope = scopes.getStore();
  if (!scope || !("caller" in scope)) return undefined;
  return scope.caller.run.view.status === "idle" ? undefined : scope.caller;
}
