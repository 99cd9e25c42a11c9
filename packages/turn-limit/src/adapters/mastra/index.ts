/**
 * For an `Agent` of `@mastra/core`: the options of one `generate()` or `stream()`, with limits.
 *
 * @module
 */
import type { RequestContext } from "@mastra/core/request-context";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { AdapterOptions } from "../../run/options.ts";
import { requireVersion } from "../shared/framework-version.ts";
import type { Given } from "../shared/given-options.ts";
import { HostedAgent } from "../shared/hosted-agent.ts";
import { Runs } from "../shared/runs.ts";
import { type Limits, type Returned, watchAgents } from "./agent-class.ts";
import { GovernedRun } from "./governed-run.ts";
import { type ObjectRunOptions, type RunOptions, withLimits } from "./run-options.ts";
import { currentCaller } from "./scope.ts";
import { keepUntilResumed, resumedRun } from "./suspended-runs.ts";

export type { AdapterOptions } from "../../run/options.ts";
export type { RunInfo } from "../../run/run-info.ts";
export type { Given } from "../shared/given-options.ts";
export type { ObjectRunOptions, RunOptions } from "./run-options.ts";

// Not in limitAgent(): it may be called in the call that it is for, when the agent's method is looked up already.
watchAgents();

/** What the host infers nothing from. */
export type NoOptions = Record<never, never>;

/** The limits of agents. Each run has counters of its own, so several can be under way at once; see `onOutcome`. */
export interface AgentLimits {
  /**
   * The options of a run: a prompt of a person. What you would pass to `generate()` or `stream()` goes in here, and
   * still applies, as do the agent's `defaultOptions`. Each call they are passed to is a run of its own. For an agent
   * with limits of its own use `defaultOptions: limits.options()`. To resume a run that waits for a person, pass them
   * with its `runId`: it goes on with the budget that it has, in the same process also without them.
   *
   * An agent that works for a run is under the limits of that run alone: those in its own `defaultOptions` are for
   * prompts of its own. Of options that have limits already, these replace them. What `structuredOutput.model` takes to
   * put an answer into its form is in no count.
   */
  options<Output extends {}>(own: ObjectRunOptions<Output>): ObjectRunOptions<Output>;
  options(): NoOptions;
  options<Own extends RunOptions>(own?: Given<Own, RunOptions>): Own;
  /**
   * The options of an agent that you call within a tool: its turns and tool calls count for the run that the tool call
   * is a part of. If there is no such run, it is a run of its own. An agent that is called without options of these
   * limits joins by itself, and so does what an agent has as `agents`.
   */
  subAgent<Output extends {}>(
    requestContext: RequestContext | undefined,
    own: ObjectRunOptions<Output>,
  ): ObjectRunOptions<Output>;
  subAgent(requestContext: RequestContext | undefined): NoOptions;
  subAgent<Own extends RunOptions>(
    requestContext: RequestContext | undefined,
    own?: Given<Own, RunOptions>,
  ): Own;
  /** How the last run ended. `undefined` while one is under way, and before the first. */
  readonly outcome: Outcome | undefined;
  /** How the run ended that `generate()` or `stream()` returned this for. `undefined` until it has, and for all else. */
  outcomeOf(result: unknown): Outcome | undefined;
}

// What the host gives the model for arguments that do not have the form of the tool.
const isRefusedInput = (result: unknown) => Object(result).error === true;

/**
 * Makes the limits of agents. They replace Mastra's default of 5 steps; a `maxSteps` or `stopWhen` of your own still
 * applies.
 *
 * - A run that a limit stops ends as if `stopWhen` had ended it. If not even its first turn is admitted, it ends with a
 *   tripwire.
 * - When the time is up in the middle of a request, the run ends with what was said by then, and the finish reason
 *   `length`.
 * - When a limit raises, `generate()` rejects, and a stream ends, with its `LimitExceeded` or `StepLimitExceeded`.
 * - Sub-agents work on the budget of the run that calls them: what an agent has as `agents`, and agents that a tool calls.
 *
 * @example
 * const limits = limitAgent({ turns: 25, steps: { max: 40, onExhausted: "synthesize" } });
 * const result = await agent.generate("Find everything.", limits.options());
 * console.log(result.text, limits.outcomeOf(result)?.kind);
 */
export function limitAgent(options: AdapterOptions = {}): AgentLimits {
  requireVersion("turn-limit/mastra", "@mastra/core");
  const runs = new Runs(options);

  function returned(result: Returned, run: GovernedRun): void {
    keepUntilResumed(result, run, prompted);
    runs.returned(result, () => run.progress.agent.run.outcome);
  }

  const prompted: Limits = {
    runOf: (suspendedAs) =>
      resumedRun(suspendedAs, prompted) ??
      new GovernedRun(new HostedAgent(runs.newRun({ isError: isRefusedInput }))),
    returned,
  };
  const subAgents: Limits = {
    runOf(suspendedAs) {
      const caller = currentCaller();
      return caller ? new GovernedRun(caller.subAgent()) : prompted.runOf(suspendedAs);
    },
    returned,
  };
  return {
    options: (own: RunOptions = {}) => withLimits(own, prompted),
    subAgent: (requestContext: RequestContext | undefined, own: RunOptions = {}) =>
      withLimits({ ...(requestContext && { requestContext }), ...own }, subAgents),
    get outcome() {
      return runs.outcome;
    },
    outcomeOf: (result) => runs.outcomeOf(result),
  } as AgentLimits;
}
