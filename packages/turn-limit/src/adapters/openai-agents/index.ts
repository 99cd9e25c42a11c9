/**
 * For runs of `@openai/agents`.
 *
 * @module
 */
import {
  type NonStreamRunOptions,
  type RunContext,
  Runner,
  type RunResult,
  type StreamedRunResult,
  type StreamRunOptions,
} from "@openai/agents";
import type { Outcome } from "../../core/governor/outcome.ts";
import { isFailed } from "../../core/limits/failed-result.ts";
import type { AdapterOptions } from "../../run/options.ts";
import type { RunControl } from "../../run/run.ts";
import { requireVersion } from "../shared/framework-version.ts";
import { Runs } from "../shared/runs.ts";
import { governRunner } from "./govern.ts";
import type { AnyAgent } from "./governed-loop.ts";
import { followAgentsAsTools, openLoop } from "./open-loop.ts";
import { requireAgent, requireInput, requireRunning } from "./requirements.ts";
import { type AnyInput, type AnyOptions, runLoop } from "./run-loop.ts";
import { saveWith } from "./saved-run.ts";

export type { Model } from "../../core/meter/model.ts";
export type { AdapterOptions } from "../../run/options.ts";
export type { RunControl, RunSettings } from "../../run/run.ts";
export type { RunInfo } from "../../run/run-info.ts";

/** A result of the host, with how its run ended. */
export type Limited<Result> = Result & {
  /** `undefined` until the run is over: in a stream until `completed`, and while calls wait for approval. */
  readonly outcome: Outcome | undefined;
  /** The limits of this run, to be changed before it is resumed, or while it streams. */
  readonly limits: RunControl;
};

type Input<Context, A extends AnyAgent> = Parameters<typeof Runner.prototype.run<A, Context>>[1];
type Options<Host> = Omit<Host, "maxTurns">;
type SubAgentOptions<Host> = Omit<Host, "maxTurns" | "context">;

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
  /**
   * Runs an agent within a tool call, on the budget of the run that made the call: its turns and tool calls are that
   * run's. `runContext` is what the tool was given.
   */
  subAgent<A extends AnyAgent, Context>(
    runContext: RunContext<Context> | undefined,
    agent: A,
    input: Input<Context, A>,
    options?: SubAgentOptions<NonStreamRunOptions<Context, A>>,
  ): Promise<Limited<RunResult<Context, A>>>;
  /** The same, with a stream. */
  subAgent<A extends AnyAgent, Context>(
    runContext: RunContext<Context> | undefined,
    agent: A,
    input: Input<Context, A>,
    options: SubAgentOptions<StreamRunOptions<Context, A>>,
  ): Promise<Limited<StreamedRunResult<Context, A>>>;
  /** How the last run ended, also if it threw; `undefined` while one is under way. */
  readonly outcome: Outcome | undefined;
  /** How the run ended that the host returned this for; `undefined` until it is over. */
  outcomeOf(result: unknown): Outcome | undefined;
}

/**
 * Makes a `run()` with limits, on your own runner if it has settings or hooks. The host's `maxTurns` is off.
 *
 * Every run has its own budget, so several may go on at once; one that was waiting for approval goes on with the budget
 * it has left, also in another process, where its state comes from `RunState.fromString()`. Agents and their tools must
 * not be frozen. An agent given as a tool, by `asTool()`, is on the budget of the agent that calls it, unless it has a
 * context of its own; so is one that a tool runs with `subAgent()`, or with `run()` and `{ context }`, the tool's. The
 * agents are governed in place, and work as before outside of these runs.
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
  requireVersion("turn-limit/openai-agents", "@openai/agents");
  const runs = new Runs(options);
  governRunner(runner);
  followAgentsAsTools();

  async function run(agent: AnyAgent, input: AnyInput, given: AnyOptions = {}) {
    requireAgent(agent);
    requireInput(input);
    const loop = openLoop(agent, input, given.context, (state) => runs.newRun({ state, isError: isFailed }));
    const result = await runLoop({ loop, runner, agent, input, given: { ...given, maxTurns: null } });
    saveWith(result.state, () => loop.left());
    const outcome = () => loop.hosted.run.outcome;
    return Object.defineProperties(runs.returned(result, outcome), {
      outcome: { get: outcome },
      limits: { value: loop.hosted.run },
    });
  }

  async function subAgent(context: unknown, agent: AnyAgent, input: AnyInput, given?: AnyOptions) {
    requireRunning(context);
    return run(agent, input, { ...given, context });
  }

  return {
    run: run as LimitedRuns["run"],
    subAgent: subAgent as LimitedRuns["subAgent"],
    get outcome() {
      return runs.outcome;
    },
    outcomeOf: (result) => runs.outcomeOf(result),
  };
}
