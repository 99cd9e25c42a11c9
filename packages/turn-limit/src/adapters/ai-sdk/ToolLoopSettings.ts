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

/** Of the settings of a call or an agent, those that the limits work with, and the callbacks beside them. */
export interface ToolLoopSettings<TOOLS extends ToolSet = ToolSet, CONTEXT extends Context = Context>
  extends Partial<Pick<StreamTextSettings<TOOLS, CONTEXT>, PlainSettings>> {
  // Methods, for their events know the kind of output, and any will do.
  onStart?(event: GenerateTextStartEvent<NoInfer<TOOLS>, CONTEXT>): PromiseLike<void> | void;
  experimental_onStart?(event: GenerateTextStartEvent<NoInfer<TOOLS>, CONTEXT>): PromiseLike<void> | void;
  onStepStart?(event: GenerateTextStepStartEvent<NoInfer<TOOLS>, CONTEXT>): PromiseLike<void> | void;
  experimental_onStepStart?(
    event: GenerateTextStepStartEvent<NoInfer<TOOLS>, CONTEXT>,
  ): PromiseLike<void> | void;
  onStepError?(event: GenerateTextStepErrorEvent<NoInfer<TOOLS>, CONTEXT>): PromiseLike<void> | void;
}
