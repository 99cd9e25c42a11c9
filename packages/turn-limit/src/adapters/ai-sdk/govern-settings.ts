import type { ContentPart, StepResult, StopCondition, Telemetry, ToolSet } from "ai";
import type { Failure } from "../../core/governor/run.ts";
import type { ToolCall } from "./call-order.ts";
import { GovernedTools } from "./governed-tools.ts";
import { OpenCalls } from "./open-calls.ts";
import type { ToolLoop } from "./tool-loop.ts";
import type { Context, ToolLoopSettings } from "./tool-loop-settings.ts";
import type { ToolLoops } from "./tool-loops.ts";

type Part = ContentPart<ToolSet>;
type PrepareStep = ToolLoopSettings["prepareStep"];
/** What telemetry is told of a call that fails. */
type CallError = { callId: string; error: unknown };
type Listener<E> = (event: E) => PromiseLike<void> | void;

/** The settings, with the limits checked before each turn and tool call, and told how each of them ended. */
export function governSettings<S extends object>(settings: S, loops: ToolLoops, parent?: ToolLoop): S {
  return new GovernedSettings(loops, parent).of(settings);
}

/** The settings of a call; or of an agent, and of each call that it prepares with them. */
class GovernedSettings {
  readonly #loops: ToolLoops;
  readonly #parent: ToolLoop | undefined;
  readonly #calls = new OpenCalls();
  readonly #tools: GovernedTools;

  constructor(loops: ToolLoops, parent: ToolLoop | undefined) {
    this.#loops = loops;
    this.#parent = parent;
    this.#tools = new GovernedTools(
      (messages, toolCallId) => loops.loopOf(messages) ?? this.#calls.beforeFirstStep(messages, toolCallId),
    );
  }

  of<S extends object>(settings: S): S {
    const governed = this.#tools;
    const given: ToolLoopSettings = settings;
    const listener: Telemetry = {
      onError: (event) => {
        const { callId, error } = event as CallError;
        const loop = this.#calls.get(callId);
        return this.#close(loop, loop?.failureOf(error));
      },
    };
    const prepare = this.#prepareStep.bind(this);
    let made: ToolSet | undefined;
    const { tools: _, prepareStep: __, ...others } = given;
    return {
      ...(others as S),
      ...this.#around(settings),
      // Every call reads it once, and gets a set of its own, of another limiter, too.
      get tools() {
        made = governed.of(given.tools ?? {});
        return made;
      },
      // Read after the tools, and so made for the same call.
      get prepareStep() {
        return prepare(given.prepareStep, made);
      },
      // Where a call fails outside of its steps, the SDK tells nobody else.
      get telemetry() {
        return withListener(given.telemetry ?? given.experimental_telemetry, listener);
      },
    };
  }

  /** Prepares the steps of the call that has these tools. */
  #prepareStep(theirs: PrepareStep, tools: ToolSet | undefined): NonNullable<PrepareStep> {
    return async (step) => {
      const loop = this.#calls.ofStep(step, tools);
      if (!loop) throw new Error("turn-limit/ai-sdk: this step belongs to no call that has begun");
      try {
        return await loop.prepare(step, theirs);
      } catch (error) {
        await this.#close(loop, loop.failureOf(error), step.steps.at(-1));
        throw error;
      } finally {
        const made = this.#tools.madeFor(loop.tools);
        if (made) this.#tools.refresh(made);
      }
    };
  }

  /** What the SDK calls, around what the settings have. */
  #around(settings: ToolLoopSettings): ToolLoopSettings {
    const { prepareCall, stopWhen = [] } = settings;
    const calls = this.#calls;
    const stopConditions = [stopWhen].flat();

    const around: ToolLoopSettings = {
      prepareCall: async (agent) => {
        const given = { ...agent };
        for (const name of [
          "tools",
          "telemetry",
          "prepareStep",
          ...Object.keys(around),
        ] as (keyof ToolLoopSettings)[]) {
          if (name in settings) Object.assign(given, { [name]: settings[name] });
          else delete given[name];
        }
        return this.of((await prepareCall?.call(settings, given)) ?? given);
      },

      onStart: both((call) => {
        const loop = this.#loops.open(call, this.#parent, settings.abortSignal);
        calls.add(loop, call.messages, this.#tools.madeFor(call.tools));
      }, settings.onStart ?? settings.experimental_onStart),

      onStepStart: both(({ callId, provider, messages }) => {
        const loop = calls.get(callId);
        if (!loop) return;
        this.#loops.sent(messages, loop);
        loop.stepStarts(provider);
      }, settings.onStepStart ?? settings.experimental_onStepStart),

      onLanguageModelCallEnd: both(({ callId, usage, content, provider, modelId }) => {
        const loop = calls.get(callId);
        loop?.answered(usage, { id: modelId, provider }, callsInOrder(content, settings));
      }, settings.onLanguageModelCallEnd ?? settings.experimental_onLanguageModelCallEnd),

      stopWhen: async ({ steps }) => {
        const last = steps.at(-1);
        const loop = last && calls.get(last.callId);
        if (!loop) return true; // An aborted stream may still ask.
        try {
          if (stopConditions.length > 0 && (await isAnyMet(stopConditions, steps))) return true;
          return await loop.mustStop();
        } catch (error) {
          await this.#close(loop, loop.failureOf(error), last);
          throw error;
        }
      },

      onStepError: both(({ callId, error, steps }) => {
        const loop = calls.get(callId);
        return this.#close(loop, loop?.failureOf(error), steps.at(-1));
      }, settings.onStepError),

      onAbort: both(({ callId }) => this.#close(calls.get(callId), "aborted"), settings.onAbort),

      onEnd: both(({ callId, finishReason, finalStep }) => {
        const loop = calls.get(callId);
        const hasFailed = finishReason === "error" || loop?.awaitsStep;
        return this.#close(loop, hasFailed ? "failed" : undefined, finalStep);
      }, settings.onEnd ?? settings.onFinish),
    };
    return around;
  }

  // What `stopWhen` and `prepareStep` throw ends the call, too, and the SDK calls no callback then. Whoever has to wait
  // for pools gets a promise.
  #close(loop: ToolLoop | undefined, failure?: Failure, finalStep?: object): Promise<void> | undefined {
    if (!loop) return undefined;
    this.#calls.delete(loop);
    return this.#loops.close(loop, failure, finalStep);
  }
}

/**
 * The calls of an answer that are decided together, in the model's order. One alone has no order. A call that a person may
 * still deny is decided when it begins: one that never runs is not counted.
 */
function callsInOrder(content: readonly Part[], { tools = {}, toolApproval }: ToolLoopSettings): ToolCall[] {
  const calls: ToolCall[] = [];
  for (const part of content) {
    if (part.type !== "tool-call" || part.invalid || !isExecutedHere(tools[part.toolName])) continue;
    calls.push({ id: part.toolCallId, tool: part.toolName, args: part.input });
  }
  const mayBeDenied = () => toolApproval || Object.values(tools).some(({ needsApproval }) => needsApproval);
  return calls.length < 2 || mayBeDenied() ? [] : calls;
}

const TOOL_SEARCH = Symbol.for("vercel.ai.toolSearch");

// What stands for `execute` in the SDK's own tool search is never called: the SDK puts another in its place.
function isExecutedHere(tool: ToolSet[string] | undefined): boolean {
  return tool?.execute !== undefined && !(TOOL_SEARCH in tool);
}

async function isAnyMet(
  conditions: readonly StopCondition<ToolSet, Context>[],
  steps: StepResult<ToolSet, Context>[],
): Promise<boolean> {
  const met = await Promise.all(conditions.map((isMet) => isMet({ steps })));
  return met.some(Boolean);
}

// Integrations of a call take the place of the registered ones.
function withListener(
  telemetry: ToolLoopSettings["telemetry"],
  listener: Telemetry,
): ToolLoopSettings["telemetry"] {
  if (telemetry?.isEnabled === false) return telemetry;
  const integrations = telemetry?.integrations ?? globalThis.AI_SDK_TELEMETRY_INTEGRATIONS ?? [];
  return { ...telemetry, integrations: [integrations, listener].flat() };
}

function both<E>(ours: Listener<E>, theirs: Listener<E> | undefined): Listener<E> {
  return (event) => {
    const waited = ours(event);
    const theirWait = theirs?.(event);
    return waited ? Promise.all([waited, theirWait]).then(() => {}) : theirWait;
  };
}
