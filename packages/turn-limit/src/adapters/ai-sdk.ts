/**
 * For the AI SDK: `generateText`, `streamText` and `ToolLoopAgent`.
 *
 * @module
 */
import type { ToolExecutionOptions, ToolSet } from "ai";
import type { AdapterOptions } from "../driver/adapter-options.ts";
import type { Outcome } from "../governor/outcome.ts";
import { governSettings } from "./ai-sdk/govern-settings.ts";
import type { ToolLoopSettings } from "./ai-sdk/tool-loop-settings.ts";
import { ToolLoops } from "./ai-sdk/tool-loops.ts";

export type { AdapterOptions } from "../driver/adapter-options.ts";
export type { ToolLoopSettings } from "./ai-sdk/tool-loop-settings.ts";

/** The limits of calls and agents. Every call is a run with a budget of its own, also when several work at once. */
export interface ToolLoopLimits {
  /**
   * Adds the limits to the settings of a call or an agent. Its own `stopWhen`, `prepareStep` and callbacks keep
   * working; without a `stopWhen` only the limits end the loop. A tool that the provider or the client executes is
   * not counted.
   *
   * A call that a limit stops ends with what it has, and without an error. If its time is up in the middle of a request,
   * its finish reason is `interrupted`. A limit that raises makes the call reject with `LimitExceeded`, or with
   * `StepLimitExceeded` for steps; a stream has it as an error part, and `onError` gets it. If a request is cut off after
   * the SDK has retried it, the error is the `lastError` of the SDK's `RetryError`.
   */
  govern<S, TOOLS extends ToolSet, CONTEXT extends Record<string, unknown>>(
    settings: S & ToolLoopSettings<TOOLS, CONTEXT>,
  ): S;
  /**
   * The same for a sub-agent: it spends the budget of the run whose tool it works for, which is found by the options
   * that `execute` gets. In a tool of an agent without these limits it is a run of its own.
   */
  governSubAgent<S, TOOLS extends ToolSet, CONTEXT extends Record<string, unknown>>(
    toolOptions: Pick<ToolExecutionOptions<unknown>, "messages">,
    settings: S & ToolLoopSettings<TOOLS, CONTEXT>,
  ): S;
  /** How the run ended whose result has this `finalStep`. */
  outcomeOf(finalStep: object): Outcome | undefined;
  /** How the last run ended, also if it threw. The run of a stream ends when the stream does. */
  readonly outcome: Outcome | undefined;
}

/**
 * Makes the limits of tool loops.
 *
 * @example
 * const limits = limitToolLoop({ turns: 25, steps: { max: 40, onExhausted: "synthesize" } });
 * const result = await generateText(limits.govern({ model, tools, prompt }));
 * console.log(result.text, limits.outcomeOf(result.finalStep));
 *
 * const agent = new ToolLoopAgent(limits.govern({ model, tools }));
 */
export function limitToolLoop(options: AdapterOptions = {}): ToolLoopLimits {
  const loops = new ToolLoops(options);
  return {
    govern: (settings) => governSettings(settings, loops),
    governSubAgent: ({ messages }, settings) => governSettings(settings, loops, loops.loopOf(messages)),
    outcomeOf: (finalStep) => loops.outcomeOf(finalStep),
    get outcome() {
      return loops.outcome;
    },
  };
}
