import type {
  GenerateTextStartEvent,
  GenerateTextStepErrorEvent,
  GenerateTextStepStartEvent,
  streamText,
  ToolSet,
} from "ai";

type Context = Record<string, unknown>;
type StreamTextSettings<TOOLS extends ToolSet, CONTEXT extends Context> = Parameters<
  // biome-ignore lint/suspicious/noExplicitAny: the callbacks of every kind of output fit
  typeof streamText<TOOLS, CONTEXT, any>
>[0];
type PlainSettings =
  | "tools"
  | "abortSignal"
  | "timeout"
  | "stopWhen"
  | "prepareStep"
  | "toolApproval"
  | "onLanguageModelCallStart"
  | "onLanguageModelCallEnd"
  | "experimental_onLanguageModelCallEnd"
  | "onToolExecutionStart"
  | "onToolExecutionEnd"
  | "onStepEnd"
  | "onChunk"
  | "onError"
  | "onAbort"
  | "onEnd"
  | "onFinish";

/** The settings of a call or an agent that the limits work with, and the callbacks. */
export interface ToolLoopSettings<TOOLS extends ToolSet = ToolSet, CONTEXT extends Context = Context>
  extends Partial<Pick<StreamTextSettings<TOOLS, CONTEXT>, PlainSettings>> {
  // Methods, so that callbacks for any kind of output fit.
  /** Called when a call begins. */
  onStart?(event: GenerateTextStartEvent<NoInfer<TOOLS>, CONTEXT>): PromiseLike<void> | void;
  /** The earlier name of `onStart`. */
  experimental_onStart?(event: GenerateTextStartEvent<NoInfer<TOOLS>, CONTEXT>): PromiseLike<void> | void;
  /** Called when a step begins. */
  onStepStart?(event: GenerateTextStepStartEvent<NoInfer<TOOLS>, CONTEXT>): PromiseLike<void> | void;
  /** The earlier name of `onStepStart`. */
  experimental_onStepStart?(
    event: GenerateTextStepStartEvent<NoInfer<TOOLS>, CONTEXT>,
  ): PromiseLike<void> | void;
  /** Called when a step fails. */
  onStepError?(event: GenerateTextStepErrorEvent<NoInfer<TOOLS>, CONTEXT>): PromiseLike<void> | void;
}
