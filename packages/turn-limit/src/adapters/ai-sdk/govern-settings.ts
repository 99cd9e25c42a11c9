import type { ToolSet } from "ai";
import type { Failure } from "../../governor/run.ts";
import { OpenCalls } from "./open-calls.ts";
import type { ToolLoop } from "./tool-loop.ts";
import type { ToolLoopSettings } from "./tool-loop-settings.ts";
import type { ToolLoops } from "./tool-loops.ts";

type Listener<E> = (event: E) => PromiseLike<void> | void;

/** The settings, with the limits checked before each turn and tool call, and told how each of them ended. */
export function governSettings<S>(given: S, loops: ToolLoops, parent?: ToolLoop): S {
  const settings = given as ToolLoopSettings;
  const calls = new OpenCalls();
  return {
    ...given,
    ...governLoop(settings, loops, calls, parent),
    ...(settings.tools && { tools: governTools(settings.tools, loops, calls) }),
  };
}

/** The callbacks of a call's loop, around those that the settings have. */
function governLoop(
  settings: ToolLoopSettings,
  loops: ToolLoops,
  calls: OpenCalls,
  parent: ToolLoop | undefined,
): ToolLoopSettings {
  const { tools = {}, stopWhen = [] } = settings;
  const mayBeDenied = settings.toolApproval || Object.values(tools).some((tool) => tool.needsApproval);

  function close(loop: ToolLoop | undefined, failure?: Failure, finalStep?: object): void {
    if (!loop) return;
    loops.close(loop, failure, finalStep);
    calls.delete(loop);
  }

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

  return {
    onStart: both(({ callId, messages }) => {
      calls.add(loops.open(callId, parent, settings), messages);
    }, settings.onStart ?? settings.experimental_onStart),

    async prepareStep(step) {
      const loop = calls.ofStep(step);
      if (!loop) throw new Error("turn-limit/ai-sdk: this step belongs to no call that has begun");
      return closingOnError(loop, step.steps.at(-1), async () => {
        const prepared = await loop.prepare(step, () => settings.prepareStep?.(step));
        loops.sent(prepared?.messages ?? step.messages, loop);
        return prepared;
      });
    },

    onStepStart: both(({ callId, provider }) => {
      calls.get(callId)?.stepStarts(provider);
    }, settings.onStepStart ?? settings.experimental_onStepStart),

    onLanguageModelCallEnd: both(({ callId, usage, content }) => {
      const toolCalls = content.flatMap((part) =>
        part.type === "tool-call" && !part.invalid && tools[part.toolName]?.execute
          ? [{ id: part.toolCallId, tool: part.toolName, args: part.input }]
          : [],
      );
      // A call that a person may still deny is decided when it begins: one that never runs is not counted.
      calls.get(callId)?.answered(usage, mayBeDenied ? [] : toolCalls);
    }, settings.onLanguageModelCallEnd ?? settings.experimental_onLanguageModelCallEnd),

    async stopWhen({ steps }) {
      const last = steps.at(-1);
      const loop = last && calls.get(last.callId);
      if (!loop) return true; // An aborted stream may still ask.
      return closingOnError(loop, last, async () => {
        for (const isMet of [stopWhen].flat()) if (await isMet({ steps })) return true;
        return loop.mustStop();
      });
    },

    onStepError: both(({ callId, error, steps }) => {
      const loop = calls.get(callId);
      close(loop, loop?.failureOf(error), steps.at(-1));
    }, settings.onStepError),

    onAbort: both(({ callId }) => close(calls.get(callId), "aborted"), settings.onAbort),

    onEnd: both(({ callId, finishReason, finalStep }) => {
      close(calls.get(callId), finishReason === "error" ? "failed" : undefined, finalStep);
    }, settings.onEnd ?? settings.onFinish),
  };
}

/** The tools, each of whose calls goes through the loop that it belongs to. */
function governTools(tools: ToolSet, loops: ToolLoops, calls: OpenCalls): ToolSet {
  const governed = Object.entries(tools).map(([name, tool]): [string, ToolSet[string]] => {
    const { execute } = tool;
    if (!execute) return [name, tool];
    const governedExecute: typeof execute = (input, options) => {
      const { toolCallId, messages, abortSignal: signal } = options;
      const loop = loops.loopOf(messages) ?? calls.beforeFirstStep(messages);
      const call = { id: toolCallId, tool: name, args: input };
      const run = (own?: AbortSignal) =>
        execute.call(tool, input, own ? { ...options, abortSignal: own } : options);
      return loop ? loop.execute({ call, signal, run }) : run();
    };
    return [name, { ...tool, execute: governedExecute }];
  });
  return Object.fromEntries(governed);
}

function both<E>(ours: Listener<E>, theirs: Listener<E> | undefined): Listener<E> {
  return (event) => {
    ours(event);
    return theirs?.(event);
  };
}
