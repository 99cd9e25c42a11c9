/**
 * For an `Agent` of `@mastra/core`: the options of one `generate()` or `stream()`, with limits.
 *
 * @module
 */
import type { RequestContext } from "@mastra/core/request-context";
import type { Outcome } from "../governor/Outcome.ts";
import { govern, type RunOptions } from "./mastra/govern.ts";
import type { AdapterOptions } from "./shared/AdapterOptions.ts";
import { GovernedRuns } from "./shared/GovernedRuns.ts";

export type { RunOptions } from "./mastra/govern.ts";
export type { AdapterOptions } from "./shared/AdapterOptions.ts";

/** The limits of agents. Each run has counters of its own, so several can be under way at once; see `onOutcome`. */
export interface AgentLimits {
  /**
   * The options of one run: a prompt of a person. What you would pass to `generate()` or `stream()` goes in here, and
   * is kept. Make them anew for each run, for an agent with limits of its own in
   * `defaultOptions: () => limits.options()`; to resume a run that waits for an approval, pass the same ones again.
   */
  options<Own extends RunOptions>(own?: Own): Own & RunOptions;
  /**
   * The options of a sub-agent's run, whose turns and tool calls count for the run that its request context comes
   * from. Without such a run it is one of its own.
   */
  within<Own extends RunOptions>(requestContext: RequestContext | undefined, own?: Own): Own & RunOptions;
  /** How the last run ended. `undefined` while one is under way, and before the first. */
  readonly outcome: Outcome | undefined;
}

const RUN = "turn-limit.run";

/**
 * Makes the limits of agents. They take the place of Mastra's default of 5 steps; a `maxSteps` or `stopWhen` of your
 * own stays in force. A run that hits the turn limit ends like one that `stopWhen` ended; if no turn at all is
 * admitted, with a tripwire. One whose time is up in the middle of a request ends with what was said by then, and the
 * finish reason `length`. `generate()` rejects, and a stream ends, with `StepLimitExceeded` when the step limit raises.
 *
 * @example
 * const limits = limitAgent({ turns: 25, steps: { max: 40, onExhausted: "synthesize" } });
 * const result = await agent.generate("Find everything.", limits.options());
 * console.log(result.text, limits.outcome?.kind);
 */
export function limitAgent(options: AdapterOptions = {}): AgentLimits {
  let outcome: Outcome | undefined;
  const newRuns = () =>
    new GovernedRuns({
      ...options,
      onOutcome(ended) {
        outcome = ended;
        options.onOutcome?.(ended);
      },
    });
  newRuns(); // A limit that cannot be is refused here, not in the first run.

  const runOf = <Own extends RunOptions>(own: Own) => {
    const runs = newRuns();
    return govern(runs, own, {
      begins(requestContext) {
        outcome = undefined;
        requestContext?.set(RUN, runs);
        runs.begin();
      },
      ends: (mishap) => runs.end(mishap),
    });
  };
  return {
    options: <Own extends RunOptions>(own = {} as Own) => runOf(own),
    within<Own extends RunOptions>(requestContext: RequestContext | undefined, own = {} as Own) {
      const nested = { ...(requestContext && { requestContext }), ...own };
      const runs = requestContext?.get(RUN);
      const joins = runs instanceof GovernedRuns && runs.governor.status !== "idle";
      if (!joins) return runOf(nested);
      return govern(runs, nested, {
        begins() {},
        ends: (mishap) => mishap && runs.turnEnded(mishap),
      });
    },
    get outcome() {
      return outcome;
    },
  };
}
