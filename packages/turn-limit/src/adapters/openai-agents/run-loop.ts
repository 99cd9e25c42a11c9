import {
  getDefaultModel,
  type IndividualRunOptions,
  OpenAIProvider,
  type Runner,
  type RunResult,
  type StreamedRunResult,
} from "@openai/agents";
import { maySynthesize } from "../shared/runs.ts";
import { asLoop, boundModels } from "./bounded-models.ts";
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
  agent: AnyAgent;
  input: AnyInput;
  given: AnyOptions;
}

/** Runs a loop of the host under its limits. */
export async function runLoop(started: LoopRun): Promise<AnyResult> {
  const { runner, loop, agent, input, given } = started;
  const { hosted } = loop;
  const { config } = runner;
  loop.options = {
    signal: given.signal,
    model: config.model,
    defaultModel: config.modelProvider instanceof OpenAIProvider ? getDefaultModel() : undefined,
    streams: given.stream === true,
    sandboxed: Boolean(given.sandbox ?? config.sandbox),
    filtersInput: Boolean(given.callModelInputFilter ?? config.callModelInputFilter),
  };
  const options = limited(started);
  boundModels(runner, loop);
  const fail = () => loop.end(given.signal?.aborted ? "aborted" : "failed");
  try {
    const result: AnyResult = await asLoop(
      loop,
      (): Promise<AnyResult> =>
        options.stream
          ? runner.run(agent, input, { ...options, stream: true })
          : runner.run(agent, input, { ...options, stream: false }),
    );
    const settle = () => {
      const cancelled = "cancelled" in result && result.cancelled;
      if (!cancelled && result.interruptions.length > 0) loop.wait();
      else loop.end(cancelled ? "aborted" : undefined);
    };
    if ("completed" in result) {
      if (options.signal) raiseWhenCutOff(result, hosted, options.signal);
      // This promise is not awaited, so an error in it would end the process.
      result.completed.then(settle, fail).catch(() => {});
      completeWhenSettled(result, hosted);
      return result;
    }
    settle();
    await hosted.run.shared.done();
    return result;
  } catch (error) {
    const thrown = errorOfRun(hosted, error);
    fail();
    await hosted.run.shared.done();
    throw thrown;
  }
}

/** What the caller gave, and what the limits need of the host. Nothing is added that no limit needs. */
function limited({ runner, loop, given }: LoopRun): AnyOptions {
  const { config } = runner;
  const filter = given.callModelInputFilter ?? config.callModelInputFilter;
  const signal = loop.hosted.signalBeside(given.signal);
  const unknownTools = given.toolNotFoundBehavior ?? config.toolNotFoundBehavior ?? "raise_error";
  return {
    ...given,
    context: loop.context,
    maxTurns: given.maxTurns ?? null,
    ...(signal && { signal }),
    ...(loop.options.sandboxed && { callModelInputFilter: admitRequests(loop, filter) }),
    errorHandlers: { ...given.errorHandlers, maxTurns: handleStop(loop, given.errorHandlers) },
    // In the tools-free turn no tool can be found. A call is to be refused then, and not to end the run with an error.
    ...(maySynthesize(loop.hosted.run) && {
      toolErrorFormatter: wordUnknownTools(
        loop,
        given.toolErrorFormatter ?? config.toolErrorFormatter,
        unknownTools,
      ),
      toolNotFoundBehavior: "return_error_to_model",
    }),
  };
}
