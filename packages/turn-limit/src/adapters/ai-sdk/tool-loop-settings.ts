import type { Output, streamText, ToolLoopAgentSettings, ToolSet } from "ai";

/** The context of a call, as the SDK has it. */
export type Context = Record<string, unknown>;

/** Any kind of answer. */
// biome-ignore lint/suspicious/noExplicitAny: as the SDK says it
export type AnyOutput = Output.Output<any, any, any>;

/** The settings of `streamText`. All those of `generateText` are among them. */
export type CallSettings<
  TOOLS extends ToolSet,
  CONTEXT extends Context,
  OUTPUT extends AnyOutput,
> = Parameters<typeof streamText<TOOLS, CONTEXT, OUTPUT>>[0];

/**
 * The settings of an agent, or of a call to which its prompt is added. An output that was not given is not there, so that
 * the SDK infers from them what it infers without limits.
 */
export type AgentSettings<
  CALL_OPTIONS,
  TOOLS extends ToolSet,
  CONTEXT extends Context,
  OUTPUT extends AnyOutput,
> = [OUTPUT] extends [never]
  ? Omit<ToolLoopAgentSettings<CALL_OPTIONS, TOOLS, CONTEXT, AnyOutput>, "output">
  : ToolLoopAgentSettings<CALL_OPTIONS, TOOLS, CONTEXT, OUTPUT>;

type GovernedSetting =
  | "tools"
  | "abortSignal"
  | "timeout"
  | "stopWhen"
  | "prepareStep"
  | "toolApproval"
  | "telemetry"
  | "experimental_telemetry"
  | "onStart"
  | "experimental_onStart"
  | "onStepStart"
  | "experimental_onStepStart"
  | "onLanguageModelCallEnd"
  | "experimental_onLanguageModelCallEnd"
  | "onStepError"
  | "onAbort"
  | "onEnd"
  | "onFinish";

/** What the limits work with, of the settings of a call or an agent. */
export interface ToolLoopSettings
  extends Partial<Pick<CallSettings<ToolSet, Context, AnyOutput>, GovernedSetting>> {
  /** Makes the settings of a call, from those of its agent. */
  prepareCall?(settings: ToolLoopSettings): PromiseLike<ToolLoopSettings> | ToolLoopSettings;
}
