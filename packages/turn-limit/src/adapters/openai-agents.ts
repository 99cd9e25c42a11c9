/**
 * For runs of `@openai/agents`.
 *
 * @module
 */
import {
  type IndividualRunOptions,
  type NonStreamRunOptions,
  Runner,
  type RunResult,
  type StreamedRunResult,
  type StreamRunOptions,
} from "@openai/agents";
import type { AdapterOptions } from "../driver/adapter-options.ts";
import { Driver } from "../driver/driver.ts";
import type { Governor } from "../governor/governor.ts";
import type { Outcome } from "../governor/outcome.ts";
import type { Failure } from "../governor/run.ts";
import { governRunner, release } from "./openai-agents/govern.ts";
import type { AnyAgent } from "./openai-agents/governed-loop.ts";
import {
  admitRequests,
  errorOfRun,
  formatRefusals,
  handleStop,
  raiseWhenCutOff,
} from "./openai-agents/hooks.ts";
import { openLoop } from "./openai-agents/open-loop.ts";
import { maySynthesize } from "./shared/may-synthesize.ts";

export type { AdapterOptions } from "../driver/adapter-options.ts";

/** A result of the host, with how its run ended. */
export type Limited<Result> = Result & {
  /** `undefined` until the run is over: in a stream until `completed`, and while calls wait for approval. */
  readonly outcome: Outcome | undefined;
  /** The limits of this run, to be changed before it is resumed, or while it streams. */
  readonly governor: Governor;
};

type Input<Context, A extends AnyAgent> = Parameters<typeof Runner.prototype.run<A, Context>>[1];
type Options<Host> = Omit<Host, "maxTurns">;
type AnyOptions = Options<IndividualRunOptions<unknown, AnyAgent>>;

/** `run()` of the host, with limits. */
export interface LimitedRuns {
  /** Runs an agent, as the host's `run()` does. */
  run<A extends AnyAgent, Context = undefined>(
    agent: A,
    input: Input<Context, A>,
    options?: Options<NonStreamRunOptions<Context, A>>,
  ): Promise<Limited<RunResult<Context, A>>>;
  /** The same, with a stream. */
  run<A extends AnyAgent, Context = undefined>(
    agent: A,
    input: Input<Context, A>,
    options: Options<StreamRunOptions<Context, A>>,
  ): Promise<Limited<StreamedRunResult<Context, A>>>;
  /** How the last run ended, also if it threw. */
  readonly outcome: Outcome | undefined;
}

/**
 * Makes a `run()` with limits, on your own runner if it has settings or hooks. The host's `maxTurns` is off.
 *
 * Every run has its own budget, so several may go on at once; one that was waiting for approval goes on with the budget
 * it has left. A sub-agent that a tool runs with `{ context }`, the tool's, is on the budget of its caller; one made
 * with `asTool()` is out of reach. The agents are governed in place, and work as before outside of these runs.
 *
 * A run that a limit stops ends with the final output `""`, or with what `errorHandlers.maxTurns` makes of it; that of an
 * agent with another output than text rejects with `MaxTurnsExceededError`. A limit that raises makes the run, or
 * `completed` of a stream, reject with `LimitExceeded`, or with `StepLimitExceeded` for steps. Both kinds of errors carry
 * the `state`, to go on from with a fresh budget.
 *
 * If the time is up in the middle of a request there is no state to go on from: the run rejects with
 * `MaxTurnsExceededError`, and a stream is cancelled; a limit that raises makes both reject with its error.
 *
 * @example
 * const limits = limitRuns({ turns: 25, steps: { max: 40, onExhausted: "synthesize" } });
 * const result = await limits.run(agent, "Find everything.", { session });
 * console.log(result.finalOutput, result.outcome?.kind);
 */
export function limitRuns(options: AdapterOptions = {}, runner: Runner = new Runner()): LimitedRuns {
  new Driver(options); // Refuses bad options here, and not in the first run.
  let last: Outcome | undefined;
  governRunner(runner);

  async function run(agent: AnyAgent, input: Input<unknown, AnyAgent>, given: AnyOptions = {}) {
    const { loop, context } = openLoop(agent, input, given.context, options);
    const { driver } = loop;
    loop.callerSignal = given.signal;
    loop.sandboxed = Boolean(given.sandbox ?? runner.config.sandbox);
    const filter = given.callModelInputFilter ?? runner.config.callModelInputFilter;
    const end = (failure?: Failure) => {
      if (loop.nested) return;
      try {
        // Throws for a price that is not a number. The run has ended anyway.
        loop.reportAnswers();
      } finally {
        last = driver.end(failure);
        release(context);
      }
    };
    const fail = () => end(given.signal?.aborted ? "aborted" : "failed");
    const limited = {
      ...given,
      context,
      maxTurns: null,
      signal: given.signal ? AbortSignal.any([given.signal, loop.cutOffSignal]) : loop.cutOffSignal,
      ...(loop.sandboxed && { callModelInputFilter: admitRequests(loop, filter) }),
      errorHandlers: { ...given.errorHandlers, maxTurns: handleStop(given.errorHandlers) },
      toolErrorFormatter: formatRefusals(loop, given.toolErrorFormatter ?? runner.config.toolErrorFormatter),
      // In the tools-free turn no tool can be found. A call is to be refused then, and not to end the run with an error.
      ...(maySynthesize(driver.governor) && {
        toolNotFoundBehavior: given.toolNotFoundBehavior ?? "return_error_to_model",
      }),
    };
    try {
      const result = limited.stream
        ? await runner.run(agent, input, { ...limited, stream: true })
        : await runner.run(agent, input, { ...limited, stream: false });
      const settle = () => {
        const cancelled = "cancelled" in result && result.cancelled;
        if (cancelled || result.interruptions.length === 0) end(cancelled ? "aborted" : undefined);
        else if (!loop.nested) driver.waiting(true);
      };
      if ("completed" in result) {
        raiseWhenCutOff(result, loop);
        // This promise is not awaited, so an error in it would end the process.
        result.completed.then(settle, fail).catch(() => {});
      } else settle();
      return Object.defineProperties(result, {
        outcome: { get: () => (driver.governor.view.status === "idle" ? driver.outcome : undefined) },
        governor: { value: driver.governor },
      });
    } catch (error) {
      const thrown = errorOfRun(driver, error);
      fail();
      throw thrown;
    }
  }

  return {
    run: run as LimitedRuns["run"],
    get outcome() {
      return last;
    },
  };
}
