/**
 * For the AI SDK: `generateText`, `streamText` and `ToolLoopAgent`.
 *
 * @module
 */
import type { ToolExecutionOptions, ToolSet } from "ai";
import type { Outcome } from "../governor/Outcome.ts";
import { governed } from "./ai-sdk/governed.ts";
import { Ledger } from "./ai-sdk/Ledger.ts";
import type { ToolLoopSettings } from "./ai-sdk/ToolLoopSettings.ts";
import type { AdapterOptions } from "./shared/AdapterOptions.ts";

export type { ToolLoopSettings } from "./ai-sdk/ToolLoopSettings.ts";
export type { AdapterOptions } from "./shared/AdapterOptions.ts";

/** The limits of calls and agents. Every call is a run with a budget of its own, also when several work at once. */
export interface ToolLoopLimits {
  /**
   * Adds the limits to the settings of a call or an agent. Its own `stopWhen`, `prepareStep` and callbacks keep
   * working; without a `stopWhen` only the limits end the loop. A tool that the provider or the client executes is
   * not counted. A call whose time is up in the middle of a request ends with what was said by then, and the finish
   * reason `interrupted`.
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
  /** How the run that ended last did, also if it threw. The run of a stream ends when the stream does. */
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
  const ledger = new Ledger(options);
  return {
    govern: (settings) => governed(settings, ledger),
    governSubAgent: ({ messages }, settings) => governed(settings, ledger, ledger.loopOf(messages)),
    outcomeOf: (finalStep) => ledger.outcomeOf(finalStep),
    get outcome() {
      return ledger.outcome;
    },
  };
}
