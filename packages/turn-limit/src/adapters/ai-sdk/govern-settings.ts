import type { ModelMessage, ToolSet } from "ai";
import type { Failure } from "../../governor/run.ts";
import type { ToolLoop } from "./tool-loop.ts";
import type { ToolLoopSettings } from "./tool-loop-settings.ts";
import type { ToolLoops } from "./tool-loops.ts";

type Listener<E> = (event: E) => PromiseLike<void> | void;

/** The settings, with the limits checked before each turn and tool call, and told how each of them ended. */
export function governSettings<S>(given: S, loops: ToolLoops, parent?: ToolLoop): S {
  const settings = given as ToolLoopSettings;
  const { tools = {}, stopWhen = [] } = settings;
  const mayBeDenied = settings.toolApproval || Object.values(tools).some((tool) => tool.needsApproval);
  const openLoops = new Map<string, ToolLoop>();
  // Several calls may begin with the same messages.
  const loopsByInitialMessages = new WeakMap<ModelMessage[], ToolLoop[]>();
  let latest: ToolLoop | undefined;

  const added: ToolLoopSettings = {
    onStart: both(({ callId, messages }) => {
      latest = loops.open(callId, parent, settings);
      openLoops.set(callId, latest);
      loopsByInitialMessages.set(messages, [...(loopsByInitialMessages.get(messages) ?? []), latest]);
    }, settings.onStart ?? settings.experimental_onStart),

    async prepareStep(step) {
      // The SDK tells which call a step belongs to only for the second step and later. The first has the initial messages.
      const last = step.steps.at(-1);
      const known = last
        ? openLoops.get(last.callId)
        : loopsByInitialMessages.get(step.initialMessages)?.shift();
      const loop = known ?? latest;
      if (!loop) throw new Error("turn-limit/ai-sdk: this step belongs to no call that has begun");
      return closingOnError(loop, last, async () => {
        const prepared = await loop.prepare(step, () => settings.prepareStep?.(step));
        loops.sent(prepared?.messages ?? step.messages, loop);
        return prepared;
      });
    },
    onStepStart: both(({ callId, provider }) => {
      openLoops.get(callId)?.stepStarts(provider);
    }, settings.onStepStart ?? settings.experimental_onStepStart),
    onLanguageModelCallEnd: both(({ callId, usage, content }) => {
      const calls = content.flatMap((part) =>
        part.type === "tool-call" && !part.invalid && tools[part.toolName]?.execute
          ? [{ id: part.toolCallId, tool: part.toolName, args: part.input }]
          : [],
      );
      // A call that a person may still deny is decided when it begins: one that never runs is not counted.
      openLoops.get(callId)?.answered(usage, mayBeDenied ? [] : calls);
    }, settings.onLanguageModelCallEnd ?? settings.experimental_onLanguageModelCallEnd),
    async stopWhen({ steps }) {
      const last = steps.at(-1);
      const loop = last && openLoops.get(last.callId);
      if (!loop) return true; // An aborted stream may still ask.
      return closingOnError(loop, last, async () => {
        for (const isMet of [stopWhen].flat()) if (await isMet({ steps })) return true;
        return loop.mustStop();
      });
    },
    onStepError: both(({ callId, error, steps }) => {
      const loop = openLoops.get(callId);
      close(loop, loop?.failureOf(error), steps.at(-1));
    }, settings.onStepError),
    onAbort: both(({ callId }) => close(openLoops.get(callId), "aborted"), settings.onAbort),
    onEnd: both(({ callId, finishReason, finalStep }) => {
      close(openLoops.get(callId), finishReason === "error" ? "failed" : undefined, finalStep);
    }, settings.onEnd ?? settings.onFinish),
  };

  // What `stopWhen` and `prepareStep` throw ends the call, and the SDK calls no callback then.
  async function closingOnError<T>(
    loop: ToolLoop,
    finalStep: object | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      close(loop, loop.failureOf(error), finalStep);
      throw error;
    }
  }

  function close(loop: ToolLoop | undefined, failure?: Failure, finalStep?: object): void {
    if (!loop) return;
    loops.close(loop, failure, finalStep);
    openLoops.delete(loop.callId);
  }

  function governTool(name: string, tool: ToolSet[string]): ToolSet[string] {
    const { execute } = tool;
    if (!execute) return tool;
    return {
      ...tool,
      execute(input, options) {
        const { toolCallId, messages, abortSignal: signal } = options;
        // A call that was approved before this run is executed before the first step, with the initial messages.
        const loop = loops.loopOf(messages) ?? loopsByInitialMessages.get(messages)?.[0] ?? latest;
        const call = { id: toolCallId, tool: name, args: input };
        const run = (own?: AbortSignal) =>
          execute.call(tool, input, own ? { ...options, abortSignal: own } : options);
        return loop ? loop.execute({ call, signal, run }) : run();
      },
    };
  }

  const governedTools = Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [name, governTool(name, tool)]),
  );
  return { ...given, ...added, ...(settings.tools && { tools: governedTools }) };
}

function both<E>(ours: Listener<E>, theirs: Listener<E> | undefined): Listener<E> {
  return (event) => {
    ours(event);
    return theirs?.(event);
  };
}
