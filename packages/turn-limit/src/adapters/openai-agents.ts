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
import { createGovernor } from "../governor/createGovernor.ts";
import type { Governor } from "../governor/Governor.ts";
import type { Outcome } from "../governor/Outcome.ts";
import type { Mishap } from "../governor/RequestStatus.ts";
import type { AnyAgent } from "./openai-agents/GovernedLoop.ts";
import { governRunner, release } from "./openai-agents/govern.ts";
import { admitting, errorOfRun, refusing, stopping } from "./openai-agents/hooks.ts";
import { openLoop } from "./openai-agents/openLoop.ts";
import { synthesizes } from "./openai-agents/synthesizes.ts";
import type { AdapterOptions } from "./shared/AdapterOptions.ts";

export type { AdapterOptions } from "./shared/AdapterOptions.ts";

/** A result of the host, with how its run ended. */
export type Limited<Result> = Result & {
  /** `undefined` until the run is over: in a stream until `completed`, and while calls wait for approval. */
  readonly outcome: Outcome | undefined;
  /** The limits of this run, to be changed before it is resumed. */
  readonly governor: Governor;
};

type Input<Context, A extends AnyAgent> = Parameters<typeof Runner.prototype.run<A, Context>>[1];
type Options<Host> = Omit<Host, "maxTurns">;
type AnyOptions = Options<IndividualRunOptions<unknown, AnyAgent>>;

/** `run()` of the host, with limits. */
export interface LimitedRuns {
  run<A extends AnyAgent, Context = undefined>(
    agent: A,
    input: Input<Context, A>,
    options?: Options<NonStreamRunOptions<Context, A>>,
  ): Promise<Limited<RunResult<Context, A>>>;
  run<A extends AnyAgent, Context = undefined>(
    agent: A,
    input: Input<Context, A>,
    options: Options<StreamRunOptions<Context, A>>,
  ): Promise<Limited<StreamedRunResult<Context, A>>>;
  /** How the run ended that ended last, also if it threw. */
  readonly outcome: Outcome | undefined;
}

/**
 * Makes a `run()` with limits, on a runner of one's own if it has settings or hooks. The host's `maxTurns` is off.
 *
 * Every run has its own budget, so several may go on at once; one that was waiting for approval goes on with the budget
 * it has left. A sub-agent that a tool runs with `{ context }`, the tool's, is on the budget of its caller; one made with
 * `asTool()` is out of reach. The agents are governed in place, and as they were outside of these runs.
 *
 * A run that a turn limit stops ends with the final output `""`, or with what `errorHandlers.maxTurns` makes of it; that
 * of an agent with another output than text rejects with `MaxTurnsExceededError`. A step limit that raises makes the run
 * reject with `StepLimitExceeded`. Both carry the `state`, to go on from with a fresh budget. A run whose request is cut
 * off when the time is up rejects with `MaxTurnsExceededError`, and a stream is cancelled.
 *
 * @example
 * const limits = limitRuns({ turns: 25, steps: { max: 40, onExhausted: "synthesize" } });
 * const result = await limits.run(agent, "Find everything.", { session });
 * console.log(result.finalOutput, result.outcome?.kind);
 */
export function limitRuns(options: AdapterOptions = {}, runner: Runner = new Runner()): LimitedRuns {
  createGovernor(options); // A value that no limit can have is refused here, and not at the first run.
  const toolsFree = synthesizes(options);
  let last: Outcome | undefined;
  governRunner(runner);

  async function run(agent: AnyAgent, input: Input<unknown, AnyAgent>, given: AnyOptions = {}) {
    const { loop, context } = openLoop(agent, input, given.context, options);
    const { runs } = loop;
    loop.signal = given.signal;
    loop.sandboxed = Boolean(given.sandbox ?? runner.config.sandbox);
    const filter = given.callModelInputFilter ?? runner.config.callModelInputFilter;
    const over = (mishap?: Mishap) => {
      if (loop.nested) return;
      loop.readMeter();
      last = runs.end(mishap);
      release(context);
    };
    const failed = () => over(given.signal?.aborted ? "aborted" : "failed");
    const limited = {
      ...given,
      context,
      maxTurns: null,
      signal: given.signal ? AbortSignal.any([given.signal, loop.cutOff]) : loop.cutOff,
      ...(loop.sandboxed && { callModelInputFilter: admitting(loop, filter, toolsFree) }),
      errorHandlers: { ...given.errorHandlers, maxTurns: stopping(given.errorHandlers) },
      toolErrorFormatter: refusing(loop, given.toolErrorFormatter ?? runner.config.toolErrorFormatter),
      // In the tools-free turn every tool is one that cannot be found; a call of it is to be refused, not thrown at.
      ...(toolsFree && { toolNotFoundBehavior: given.toolNotFoundBehavior ?? "return_error_to_model" }),
    };
    try {
      const result = limited.stream
        ? await runner.run(agent, input, { ...limited, stream: true })
        : await runner.run(agent, input, { ...limited, stream: false });
      const settled = () => {
        const cancelled = "cancelled" in result && result.cancelled;
        if (cancelled || result.interruptions.length === 0) over(cancelled ? "aborted" : undefined);
        else if (!loop.nested) runs.waiting = true;
      };
      if ("completed" in result) result.completed.then(settled, failed);
      else settled();
      return Object.defineProperties(result, {
        outcome: { get: () => (runs.governor.status === "idle" ? runs.outcome : undefined) },
        governor: { value: runs.governor },
      });
    } catch (error) {
      const thrown = errorOfRun(runs, error);
      failed();
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
