import type { ModelMessage, ToolSet } from "ai";
import type { Mishap } from "../../governor/RequestStatus.ts";
import type { Ledger } from "./Ledger.ts";
import type { ToolLoop } from "./ToolLoop.ts";
import type { ToolLoopSettings } from "./ToolLoopSettings.ts";

type Listener<E> = (event: E) => PromiseLike<void> | void;

/** The settings, with the limits asked before each turn and tool call, and told what became of them. */
export function governed<S>(given: S, ledger: Ledger, parent?: ToolLoop): S {
  const settings = given as ToolLoopSettings;
  const { tools = {}, stopWhen = [] } = settings;
  const mayBeDenied = settings.toolApproval || Object.values(tools).some((tool) => tool.needsApproval);
  const calls = new Map<string, ToolLoop>();
  const starting = new WeakMap<ModelMessage[], ToolLoop[]>();
  let latest: ToolLoop | undefined;

  const added: ToolLoopSettings = {
    onStart: both(({ callId, messages }) => {
      latest = ledger.open(callId, parent, settings);
      calls.set(callId, latest);
      starting.set(messages, [...(starting.get(messages) ?? []), latest]);
    }, settings.onStart ?? settings.experimental_onStart),

    async prepareStep(step) {
      // The SDK says which call a step belongs to from the second step on. The first has the messages of the call.
      const last = step.steps.at(-1);
      const loop = (last ? calls.get(last.callId) : starting.get(step.initialMessages)?.shift()) ?? latest;
      if (!loop) throw new Error("turn-limit/ai-sdk: this step belongs to no call that has begun");
      return during(loop, last, async () => {
        const prepared = await loop.prepare(step, () => settings.prepareStep?.(step));
        ledger.sent(prepared?.messages ?? step.messages, loop);
        return prepared;
      });
    },
    onStepStart: both(({ callId, provider }) => {
      calls.get(callId)?.stepStarts(provider);
    }, settings.onStepStart ?? settings.experimental_onStepStart),
    onLanguageModelCallEnd: both(({ callId, usage, content }) => {
      const made = content.flatMap((part) =>
        part.type === "tool-call" && !part.invalid && tools[part.toolName]?.execute
          ? [{ id: part.toolCallId, tool: part.toolName, args: part.input }]
          : [],
      );
      // What a person may still deny is decided when it begins: a call that never runs takes no step.
      calls.get(callId)?.answered(usage, mayBeDenied ? [] : made);
    }, settings.onLanguageModelCallEnd ?? settings.experimental_onLanguageModelCallEnd),
    async stopWhen({ steps }) {
      const last = steps.at(-1);
      const loop = last && calls.get(last.callId);
      if (!loop) return true; // an aborted stream may still ask
      return during(loop, last, async () => {
        for (const met of [stopWhen].flat()) if (await met({ steps })) return true;
        return loop.mustStop();
      });
    },
    onStepError: both(({ callId, error }) => {
      const loop = calls.get(callId);
      close(loop, loop?.mishapOf(error));
    }, settings.onStepError),
    onAbort: both(({ callId }) => close(calls.get(callId), "aborted"), settings.onAbort),
    onEnd: both(({ callId, finishReason, finalStep }) => {
      close(calls.get(callId), finishReason === "error" ? "failed" : undefined, finalStep);
    }, settings.onEnd ?? settings.onFinish),
  };

  // What these throw ends the call, and no callback tells.
  async function during<T>(loop: ToolLoop, last: object | undefined, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      close(loop, loop.mishapOf(error), last);
      throw error;
    }
  }

  function close(loop: ToolLoop | undefined, mishap?: Mishap, finalStep?: object): void {
    if (!loop) return;
    ledger.close(loop, mishap, finalStep);
    calls.delete(loop.callId);
  }

  function guarded(name: string, tool: ToolSet[string]): ToolSet[string] {
    const { execute } = tool;
    if (!execute) return tool;
    return {
      ...tool,
      execute(input, options) {
        const { toolCallId, messages, abortSignal: signal } = options;
        // A call that was approved by now runs before the first step, with the messages of the call.
        const loop = ledger.loopOf(messages) ?? starting.get(messages)?.[0] ?? latest;
        const call = { id: toolCallId, tool: name, args: input };
        const run = (own?: AbortSignal) =>
          execute.call(tool, input, own ? { ...options, abortSignal: own } : options);
        return loop ? loop.execute({ call, signal, run }) : run();
      },
    };
  }

  const guardedTools = Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [name, guarded(name, tool)]),
  );
  return { ...given, ...added, ...(settings.tools && { tools: guardedTools }) };
}

function both<E>(ours: Listener<E>, theirs: Listener<E> | undefined): Listener<E> {
  return (event) => {
    ours(event);
    return theirs?.(event);
  };
}
