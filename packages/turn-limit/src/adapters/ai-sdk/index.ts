/**
 * For the AI SDK: `generateText`, `streamText` and `ToolLoopAgent`.
 *
 * @module
 */
import type { Output, ToolExecutionOptions, ToolLoopAgentSettings, ToolSet } from "ai";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { AdapterOptions } from "../../run/options.ts";
import { requireVersion } from "../shared/framework-version.ts";
import { governSettings } from "./govern-settings.ts";
import type { AgentSettings, AnyOutput, CallSettings, Context } from "./tool-loop-settings.ts";
import { ToolLoops } from "./tool-loops.ts";

export type { AdapterOptions } from "../../run/options.ts";
export type { RunInfo } from "../../run/run-info.ts";
export type { AgentSettings, AnyOutput, CallSettings, Context } from "./tool-loop-settings.ts";

/** The options that a tool's `execute` gets. */
export type ToolOptions = Pick<ToolExecutionOptions<unknown>, "messages">;

/** The limits of calls and agents. Every call is a run with a budget of its own, also when several work at once. */
export interface ToolLoopLimits {
  /**
   * Adds the limits to the settings of a call. Its own `stopWhen`, `prepareStep` and callbacks keep working; without a
   * `stopWhen` only the limits end the loop. A tool that the provider, the client or the SDK itself executes is not
   * counted.
   *
   * A call that a limit stops ends with what it has, and without an error. If its time is up in the middle of a request,
   * its finish reason is `interrupted`. A limit that raises makes the call reject with `LimitExceeded`, or with
   * `StepLimitExceeded` for steps; a stream has it as an error part, and `onError` gets it. If a request is cut off after
   * the SDK has retried it, or a retry is not admitted, the error is the `lastError` of the SDK's `RetryError`.
   *
   * Whoever leaves a stream before its end must abort it, too: the SDK keeps it for other readers, so its run is not over.
   */
  govern<
    TOOLS extends ToolSet,
    CONTEXT extends Context = Context,
    OUTPUT extends AnyOutput = Output.Output<string, string>,
  >(
    settings: CallSettings<TOOLS, CONTEXT, OUTPUT>,
  ): CallSettings<NoInfer<TOOLS>, NoInfer<CONTEXT>, NoInfer<OUTPUT>>;
  /**
   * Adds the limits to the settings of an agent, and to what its `prepareCall` makes of them; or to those of a call whose
   * prompt is added later: `{ ...limits.govern({ model, tools }), prompt }`.
   */
  govern<
    CALL_OPTIONS = never,
    // biome-ignore lint/complexity/noBannedTypes: as the SDK says it
    TOOLS extends ToolSet = {},
    CONTEXT extends Context = Context,
    OUTPUT extends AnyOutput = never,
  >(
    settings: ToolLoopAgentSettings<CALL_OPTIONS, TOOLS, CONTEXT, OUTPUT>,
  ): AgentSettings<NoInfer<CALL_OPTIONS>, NoInfer<TOOLS>, NoInfer<CONTEXT>, NoInfer<OUTPUT>>;
  /**
   * The same for a call that works within a tool call: it spends the budget of the run whose tool it works for, which is
   * found by the options that `execute` gets. In a tool of an agent without limits it is a run of its own; the options of
   * an agent with other limits are refused.
   */
  subAgent<
    TOOLS extends ToolSet,
    CONTEXT extends Context = Context,
    OUTPUT extends AnyOutput = Output.Output<string, string>,
  >(
    toolOptions: ToolOptions,
    settings: CallSettings<TOOLS, CONTEXT, OUTPUT>,
  ): CallSettings<NoInfer<TOOLS>, NoInfer<CONTEXT>, NoInfer<OUTPUT>>;
  /** The same for an agent that works within a tool call. */
  subAgent<
    CALL_OPTIONS = never,
    // biome-ignore lint/complexity/noBannedTypes: as the SDK says it
    TOOLS extends ToolSet = {},
    CONTEXT extends Context = Context,
    OUTPUT extends AnyOutput = never,
  >(
    toolOptions: ToolOptions,
    settings: ToolLoopAgentSettings<CALL_OPTIONS, TOOLS, CONTEXT, OUTPUT>,
  ): AgentSettings<NoInfer<CALL_OPTIONS>, NoInfer<TOOLS>, NoInfer<CONTEXT>, NoInfer<OUTPUT>>;
  /**
   * How the run ended that this is the result of: what `generateText`, `streamText`, or an agent's `generate` or `stream`
   * returned; its `finalStep` will do, too. `undefined` until the run is over, and for anything else.
   */
  outcomeOf(result: unknown): Outcome | undefined;
  /** How the last run ended, also if it threw. The run of a stream ends when the stream does. */
  readonly outcome: Outcome | undefined;
}

/**
 * Makes the limits of tool loops.
 *
 * @example
 * const limits = limitToolLoop({ turns: 25, steps: { max: 40, onExhausted: "synthesize" } });
 * const result = await generateText(limits.govern({ model, tools, prompt }));
 * console.log(result.text, limits.outcomeOf(result));
 *
 * const agent = new ToolLoopAgent(limits.govern({ model, tools }));
 */
export function limitToolLoop(options: AdapterOptions = {}): ToolLoopLimits {
  requireVersion("turn-limit/ai-sdk", "ai");
  const loops = new ToolLoops(options);
  return {
    govern: <S extends object>(settings: S) => governSettings(settings, loops),
    subAgent: <S extends object>(toolOptions: ToolOptions, settings: S) =>
      governSettings(settings, loops, loops.callerOf(toolOptions)),
    outcomeOf: (result) => loops.outcomeOf(result),
    get outcome() {
      return loops.outcome;
    },
  };
}
