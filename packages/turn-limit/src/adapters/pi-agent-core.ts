/**
 * For an `Agent` of `@earendil-works/pi-agent-core`.
 *
 * @module
 */
import type { Agent } from "@earendil-works/pi-agent-core";
import type { Governor } from "../governor/Governor.ts";
import { type Outcome, outcomeOf } from "../governor/Outcome.ts";
import { GovernedTools } from "./pi-agent-core/GovernedTools.ts";
import { govern } from "./pi-agent-core/govern.ts";
import type { AdapterOptions } from "./shared/AdapterOptions.ts";
import { GovernedRuns } from "./shared/GovernedRuns.ts";

export type { AdapterOptions } from "./shared/AdapterOptions.ts";

/** The limits of an agent. */
export interface AgentLimits {
  /** How the last run ended; `undefined` while one is under way. One that `failed` goes on with `agent.continue()`. */
  readonly outcome: Outcome | undefined;
  /** Nobody will continue the run that failed; the next prompt says so too. */
  end(): Outcome | undefined;
  /**
   * Another agent works for the same runs, within a tool call: its turns and tool calls count too. What its answers
   * take counts by itself, so the tool's result must not report it as well.
   */
  include(subAgent: Agent): void;
  /** Say so while a person is waited for, for example to approve a tool call: that time does not count. */
  waiting: boolean;
  readonly governor: Governor;
}

/**
 * Puts limits on an agent, around the hooks that it has. `prompt()`, and a follow-up when it is delivered, start the
 * counters over; `continue()` and steering do not. `prompt()` and `continue()` reject with `StepLimitExceeded` when the
 * step limit raises. An agent runs one prompt at a time, and so do its limits. When the time is up, the signal that a
 * tool call was given is aborted, and the agent goes on without its result.
 *
 * @example
 * const limits = limitAgent(agent, { turns: 25, steps: { max: 40, onExhausted: "synthesize" } });
 * await agent.prompt("Find everything.");
 * console.log(limits.outcome?.kind);
 */
export function limitAgent(agent: Agent, options: AdapterOptions = {}): AgentLimits {
  const runs = new GovernedRuns(options);
  const { governor } = runs;
  const mayBeRetried = () => governor.state.request === "retry-due" && !governor.stop;
  const included = new Set<Agent>();
  const tools = new GovernedTools(runs, () => {
    for (const subAgent of included) subAgent.abort();
  });
  govern(agent, runs, tools, {
    started() {},
    prompted: () => runs.begin(),
    idle(signal) {
      if (signal.aborted) runs.end("aborted");
      else if (!mayBeRetried()) runs.end();
    },
  });
  return {
    get outcome() {
      if (governor.status === "idle") return runs.outcome;
      return mayBeRetried() ? outcomeOf(governor.state) : undefined;
    },
    end: () => (agent.signal ? undefined : runs.end()),
    include: (subAgent) =>
      govern(subAgent, runs, tools, {
        started: () => included.add(subAgent),
        prompted() {},
        idle: () => included.delete(subAgent),
      }),
    get waiting() {
      return governor.waiting;
    },
    set waiting(waiting) {
      runs.waiting = waiting;
    },
    governor,
  };
}
