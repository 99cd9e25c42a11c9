import type { IndividualRunOptions, RunContext, Runner, RunResult, StreamedRunResult } from "@openai/agents";
import type { Failure } from "../../core/governor/run.ts";
import { eitherSignal } from "../shared/either-signal.ts";
import { maySynthesize } from "../shared/may-synthesize.ts";
import { boundModelsOf, endAnswersAt } from "./bounded-models.ts";
import type { AnyAgent, GovernedLoop } from "./governed-loop.ts";
import {
  admitRequests,
  completeWhenSettled,
  errorOfRun,
  handleStop,
  raiseWhenCutOff,
  wordUnknownTools,
} from "./hooks.ts";

export type AnyInput = Parameters<Runner["run"]>[1];
export type AnyOptions = IndividualRunOptions<unknown, AnyAgent>;
export type AnyResult = RunResult<unknown, AnyAgent> | StreamedRunResult<unknown, AnyAgent>;

/** A loop that is to run, and what the caller gave for it. */
export interface LoopRun {
  runner: Runner;
  loop: GovernedLoop;
  context: RunContext<unknown>;
  agent: AnyAgent;
  input: AnyInput;
  given: AnyOptions;
  /** Called when it is over, unless calls wait for approval. */
  onEnd(failure?: Failure): void;
}

/** Runs a loop of the host under its limits. */
export async function runLoop(run: LoopRun): Promise<AnyResult> {
  const { runner, loop, agent, input, given } = run;
  loop.callerSignal = given.signal;
  loop.streams = given.stream === true;
  loop.model = runner.config.model;
  loop.sandboxed = Boolean(given.sandbox ?? runner.config.sandbox);
  loop.waits = false;
  const options = limited(run);
  if (loop.driver.mayCutOff) boundModelsOf(runner);
  const end = (failure?: Failure) => {
    try {
      // Throws for a price that is not a number. The run has ended anyway.
      loop.reportAnswers();
    } finally {
      run.onEnd(failure);
    }
  };
  const fail = () => end(given.signal?.aborted ? "aborted" : "failed");
  try {
    const result: AnyResult = options.stream
      ? await runner.run(agent, input, { ...options, stream: true })
      : await runner.run(agent, input, { ...options, stream: false });
    const settle = () => {
      const cancelled = "cancelled" in result && result.cancelled;
      loop.waits = !cancelled && result.interruptions.length > 0;
      if (!loop.waits) return end(cancelled ? "aborted" : undefined);
      // Who goes on with it elsewhere tells pools only what comes after that.
      if (loop.driver.drawsFromPools) loop.reportAnswers();
      if (loop.nested) return;
      loop.driver.waiting(true);
      void loop.driver.settlePools();
    };
    if ("completed" in result) {
      if (options.signal) raiseWhenCutOff(result, loop.driver, options.signal);
      // This promise is not awaited, so an error in it would end the process.
      result.completed.then(settle, fail).catch(() => {});
      completeWhenSettled(result, loop.driver);
      return result;
    }
    settle();
    await loop.driver.poolsSettled();
    return result;
  } catch (error) {
    const thrown = errorOfRun(loop.driver, error);
    fail();
    await loop.driver.poolsSettled();
    throw thrown;
  }
}

/** What the caller gave, and what the limits need of the host. Nothing is added that no limit needs. */
function limited({ runner, loop, context, given }: LoopRun): AnyOptions {
  const { config } = runner;
  const { driver } = loop;
  const filter = given.callModelInputFilter ?? config.callModelInputFilter;
  const unknownTools = given.toolNotFoundBehavior ?? config.toolNotFoundBehavior ?? "raise_error";
  return {
    ...given,
    context,
    maxTurns: given.maxTurns ?? null,
    ...(driver.mayCutOff && { signal: eitherSignal(given.signal, endAnswersAt(loop.cutOffSignal())) }),
    ...(loop.sandboxed && { callModelInputFilter: admitRequests(loop, filter) }),
    errorHandlers: { ...given.errorHandlers, maxTurns: handleStop(given.errorHandlers) },
    // In the tools-free turn no tool can be found. A call is to be refused then, and not to end the run with an error.
    ...(maySynthesize(driver.governor) && {
      toolErrorFormatter: wordUnknownTools(
        loop,
        given.toolErrorFormatter ?? config.toolErrorFormatter,
        unknownTools,
      ),
      toolNotFoundBehavior: "return_error_to_model",
    }),
  };
}
