/**
 * For an `Agent` of `@earendil-works/pi-agent-core`.
 *
 * @module
 */
import type { Agent } from "@earendil-works/pi-agent-core";
import { InvalidLimit } from "../../core/errors/invalid-limit.ts";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { GovernorView } from "../../core/governor/view.ts";
import type { AdapterOptions } from "../../run/options.ts";
import { Run, type RunControl, type RunSettings } from "../../run/run.ts";
import { requireVersion } from "../shared/framework-version.ts";
import { HostedAgent } from "../shared/hosted-agent.ts";
import { govern, mayBeContinued } from "./govern.ts";
import { GovernedTools } from "./governed-tools.ts";

export type { Model } from "../../core/meter/model.ts";
export type { AdapterOptions } from "../../run/options.ts";
export type { RunInfo } from "../../run/run-info.ts";

/** The limits of an agent. */
export interface AgentLimits extends RunControl {
  /** How the last run ended; `undefined` while one is under way. One that `failed` goes on with `agent.continue()`. */
  readonly outcome: Outcome | undefined;
  /** The run that failed will not be continued. The next prompt says so too. */
  end(): Outcome | undefined;
  /** How the last run of this agent ended, if it is the one that has these limits; `undefined` until it is over. */
  outcomeOf(agent: unknown): Outcome | undefined;
  /**
   * Puts an agent that works within a tool call on the budget of the run that made the call: its turns and tool calls
   * count too. What its answers take counts by itself, so the tool's result must not report it as well. Returns it.
   */
  subAgent<SubAgent extends Agent>(agent: SubAgent): SubAgent;
  /** Set it while the run waits for a person, for example to approve a tool call: that time does not count. */
  waiting: boolean;
}

/**
 * Puts limits on an agent, around the hooks that it has. `prompt()`, and a follow-up when it is delivered, start the
 * counters over; `continue()` and steering do not. `prompt()` and `continue()` reject with `StepLimitExceeded`, or
 * another `LimitExceeded`, when a limit raises. An agent runs one prompt at a time, and so do its limits. When the time
 * is up, the signal that a tool call was given is aborted, and the agent goes on without its result.
 *
 * @example
 * const limits = limitAgent(agent, { turns: 25, steps: { max: 40, onExhausted: "synthesize" } });
 * await agent.prompt("Find everything.");
 * console.log(limits.outcome?.kind);
 */
export function limitAgent(agent: Agent, options: AdapterOptions = {}): AgentLimits {
  requireVersion("turn-limit/pi-agent-core", "@earendil-works/pi-agent-core");
  requireAgent("the agent to limit", agent);
  // Repeats are recognised by what the model gets to see.
  const run = new Run(options, { comparable: (result) => Object(result).content ?? result });
  const hosted = new HostedAgent(run);
  const tools = new GovernedTools(run);
  const subAgents = new WeakSet<Agent>();
  govern(agent, hosted, tools);
  return Object.assign(new Facts(run), {
    outcomeOf: (other: unknown) => (other === agent ? outcomeOf(run) : undefined),
    end: () => (agent.signal ? undefined : run.end()),
    subAgent<Sub extends Agent>(subAgent: Sub): Sub {
      requireAgent("the sub-agent", subAgent);
      if (subAgents.has(subAgent)) return subAgent;
      subAgents.add(subAgent);
      govern(subAgent, hosted.subAgent(), tools);
      return subAgent;
    },
    configure: (settings: RunSettings) => run.configure(settings),
  });
}

/** What may be read of the limits. A class: an object with accessors of its own keeps its run from being collected early. */
class Facts {
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  get outcome(): Outcome | undefined {
    return outcomeOf(this.#run);
  }

  get waiting(): boolean {
    return this.#run.facts.waiting;
  }

  set waiting(waiting: boolean) {
    this.#run.waiting(waiting);
  }

  get view(): GovernorView {
    return this.#run.view;
  }
}

function outcomeOf(run: Run): Outcome | undefined {
  if (run.facts.status === "idle") return run.outcome;
  return mayBeContinued(run) ? run.view.outcome : undefined;
}

function requireAgent(name: string, agent: unknown): void {
  const { prompt, subscribe } = (agent ?? {}) as Partial<Agent>;
  if (typeof prompt === "function" && typeof subscribe === "function") return;
  throw new InvalidLimit(name, agent, "an Agent of @earendil-works/pi-agent-core");
}
