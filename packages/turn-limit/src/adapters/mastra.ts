/**
 * For an `Agent` of `@mastra/core`: the options of one `generate()` or `stream()`, with limits.
 *
 * @module
 */
import type { RequestContext } from "@mastra/core/request-context";
import type { AdapterOptions } from "../driver/adapter-options.ts";
import { Driver } from "../driver/driver.ts";
import type { Outcome } from "../governor/outcome.ts";
import { govern, type RunOptions } from "./mastra/govern.ts";

export type { AdapterOptions } from "../driver/adapter-options.ts";
export type { RunOptions } from "./mastra/govern.ts";

/** The limits of agents. Each run has counters of its own, so several can be under way at once; see `onOutcome`. */
export interface AgentLimits {
  /**
   * The options of one run: a prompt of a person. What you would pass to `generate()` or `stream()` goes in here, and
   * still applies. Make them anew for each run; for an agent with limits of its own use
   * `defaultOptions: () => limits.options()`. To resume a run that waits for an approval, pass the same ones again.
   */
  options<Own extends RunOptions>(own?: Own): Own & RunOptions;
  /**
   * The options of a sub-agent's run. Its turns and tool calls count for the run that the request context comes from.
   * If there is no such run, it is a run of its own.
   */
  within<Own extends RunOptions>(requestContext: RequestContext | undefined, own?: Own): Own & RunOptions;
  /** How the last run ended. `undefined` while one is under way, and before the first. */
  readonly outcome: Outcome | undefined;
}

// As a function: Mastra copies what a request context has in it when it saves a run.
const DRIVER = "turn-limit.driver";

function driverIn(requestContext: RequestContext | undefined): Driver | undefined {
  const get: unknown = requestContext?.get(DRIVER);
  return typeof get === "function" ? get() : undefined;
}

/**
 * Makes the limits of agents. They replace Mastra's default of 5 steps; a `maxSteps` or `stopWhen` of your own still
 * applies.
 *
 * - A run that a limit stops ends as if `stopWhen` had ended it. If not even its first turn is admitted, it ends with a
 *   tripwire.
 * - When the time is up in the middle of a request, the run ends with what was said by then, and the finish reason
 *   `length`.
 * - When a limit raises, `generate()` rejects, and a stream ends, with its `LimitExceeded` or `StepLimitExceeded`.
 *
 * @example
 * const limits = limitAgent({ turns: 25, steps: { max: 40, onExhausted: "synthesize" } });
 * const result = await agent.generate("Find everything.", limits.options());
 * console.log(result.text, limits.outcome?.kind);
 */
export function limitAgent(options: AdapterOptions = {}): AgentLimits {
  let outcome: Outcome | undefined;
  const newDriver = () =>
    new Driver({
      ...options,
      onOutcome(ended, run) {
        outcome = ended;
        options.onOutcome?.(ended, run);
      },
    });
  newDriver(); // Invalid limits are refused here, not in the first run.

  const newRun = <Own extends RunOptions>(own: Own) => {
    const driver = newDriver();
    return govern(driver, own, {
      begins(requestContext) {
        outcome = undefined;
        requestContext?.set(DRIVER, () => driver);
        driver.begin();
      },
      admitTurn: (signal) => driver.admitTurn(signal),
      ends: (failure) => driver.end(failure),
    });
  };
  return {
    options: <Own extends RunOptions>(own = {} as Own) => newRun(own),
    within<Own extends RunOptions>(requestContext: RequestContext | undefined, own = {} as Own) {
      const nested = { ...(requestContext && { requestContext }), ...own };
      const driver = driverIn(requestContext);
      if (!driver || driver.governor.view.status === "idle") return newRun(nested);
      return govern(driver, nested, {
        begins() {},
        admitTurn: (signal) => driver.admitSubAgentTurn(signal),
        ends: (failure) => failure && driver.turnEnded(failure),
      });
    },
    get outcome() {
      return outcome;
    },
  };
}
