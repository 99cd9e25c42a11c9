import type { ContentPart, StepResult, StopCondition, Telemetry, ToolSet } from "ai";
import type { ToolCall } from "./call-order.ts";
import { GovernedTools } from "./governed-tools.ts";
import type { ToolLoop } from "./tool-loop.ts";
import type { Context, ToolLoopSettings } from "./tool-loop-settings.ts";
import type { ToolLoops } from "./tool-loops.ts";

type Part = ContentPart<ToolSet>;
type PrepareStep = NonNullable<ToolLoopSettings["prepareStep"]>;
/** What telemetry is told of a call that fails. */
type CallError = { callId: string; error: unknown };
type Listener<E> = (event: E) => PromiseLike<void> | void;

// Copies of the settings have it, too.
const GOVERNED_BY = Symbol("turn-limit.governedBy");

/**
 * The settings of a call; or of an agent, and of each call that it prepares with them. The limits are checked before each
 * turn and tool call, and told how each of them ended.
 */
export function governSettings<S extends object>(settings: S, loops: ToolLoops, parent?: ToolLoop): S {
  const given: ToolLoopSettings & { [GOVERNED_BY]?: readonly ToolLoops[] } = settings;
  const governedBy = given[GOVERNED_BY] ?? [];
  if (governedBy.includes(loops))
    throw new Error(
      "turn-limit/ai-sdk: these limits govern these settings already. Call govern() or subAgent() once",
    );
  const hooks = hooksAround(given, loops, parent);
  const listener: Telemetry = {
    onError: (event) => {
      const { callId, error } = event as CallError;
      const loop = loops.get(callId);
      return loops.close(loop, loop?.failureOf(error));
    },
  };
  // Whoever copies the settings reads them in their order.
  const { tools: _tools, prepareStep: _prepareStep, telemetry: _telemetry, ...others } = given;
  const governed = {
    ...(others as S),
    ...hooks,
    [GOVERNED_BY]: [...governedBy, loops],
    [READ_BY_CALLS]: new ReadByCalls(given, loops, listener),
  };
  return Object.defineProperties(governed, accessors);
}

/** What every call reads of its settings, once. */
class ReadByCalls {
  readonly #given: ToolLoopSettings;
  readonly #loops: ToolLoops;
  readonly #listener: Telemetry;
  #tools: GovernedTools | undefined;

  constructor(given: ToolLoopSettings, loops: ToolLoops, listener: Telemetry) {
    this.#given = given;
    this.#loops = loops;
    this.#listener = listener;
  }

  /** Every call gets a set of its own, of another limiter, too. */
  get tools(): ToolSet {
    this.#tools = new GovernedTools(this.#given.tools ?? {}, this.#loops);
    return this.#tools.set;
  }

  /** Read after the tools, and so made for the same call. */
  get prepareStep(): PrepareStep {
    return stepsPrepared(this.#loops, this.#given.prepareStep, this.#tools);
  }

  /** Where a call fails outside of its steps, the SDK tells nobody else. */
  get telemetry(): ToolLoopSettings["telemetry"] {
    const { telemetry, experimental_telemetry: earlier } = this.#given;
    return withListener(telemetry ?? earlier, this.#listener);
  }
}

const READ_BY_CALLS = Symbol("turn-limit.readByCalls");
type Governed = { readonly [READ_BY_CALLS]: ReadByCalls };

// The same functions for all settings: with accessors of their own, they would keep a run from being collected early.
const accessors = Object.fromEntries(
  (["tools", "prepareStep", "telemetry"] as const).map((name) => [
    name,
    {
      enumerable: true,
      configurable: true,
      get(this: Governed) {
        return this[READ_BY_CALLS][name];
      },
    },
  ]),
);

/** Prepares the steps of the call that has these tools. */
function stepsPrepared(
  loops: ToolLoops,
  theirs: PrepareStep | undefined,
  tools: GovernedTools | undefined,
): PrepareStep {
  return async (step) => {
    const loop = loops.ofStep(step, tools?.set);
    if (!loop) throw new Error("turn-limit/ai-sdk: this step belongs to no call that has begun");
    try {
      const prepared = loop.prepare(step, theirs);
      return prepared instanceof Promise ? await prepared : prepared;
    } catch (error) {
      await loops.close(loop, loop.failureOf(error), step.steps.at(-1));
      throw error;
    } finally {
      tools?.refresh();
    }
  };
}

/** What the SDK calls, around what the settings have. */
function hooksAround(settings: ToolLoopSettings, loops: ToolLoops, parent?: ToolLoop): ToolLoopSettings {
  const { prepareCall, stopWhen = [] } = settings;
  const stopConditions = [stopWhen].flat();

  const hooks: ToolLoopSettings = {
    prepareCall: async (agent) => {
      const ours = new Set(["tools", "prepareStep", "telemetry", ...Object.keys(hooks)]);
      const others = Object.entries(agent).filter(([name]) => !ours.has(name));
      const own = Object.entries(settings).filter(([name]) => ours.has(name));
      const given: ToolLoopSettings = Object.fromEntries([...others, ...own]);
      return governSettings((await prepareCall?.call(settings, given)) ?? given, loops, parent);
    },

    onStart: both((call) => {
      const { callId, runtimeContext, messages, tools } = call;
      loops.open({ callId, runtimeContext, messages, tools }, parent, settings.abortSignal);
      tellNoTools(call, settings);
    }, settings.onStart ?? settings.experimental_onStart),

    onStepStart: both((step) => {
      const { callId, provider, messages } = step;
      tellNoTools(step, settings);
      const loop = loops.get(callId);
      if (!loop) return;
      loops.sent(messages, loop);
      loop.stepStarts(provider);
    }, settings.onStepStart ?? settings.experimental_onStepStart),

    onLanguageModelCallEnd: both(({ callId, usage, content, provider, modelId }) => {
      const calls = callsInOrder(content, settings);
      loops.get(callId)?.answered(usage, { id: modelId, provider }, calls);
    }, settings.onLanguageModelCallEnd ?? settings.experimental_onLanguageModelCallEnd),

    stopWhen: async ({ steps }) => {
      const last = steps.at(-1);
      const loop = last && loops.get(last.callId);
      if (!loop) return true; // An aborted stream may still ask.
      try {
        // A limit that raises has ended the run: it goes on to its error, whatever the caller's conditions say.
        const theirs = loop.agent.raised ? [] : stopConditions;
        if (theirs.length > 0 && (await isAnyMet(theirs, steps))) return true;
        const stops = loop.mustStop();
        return stops instanceof Promise ? await stops : stops;
      } catch (error) {
        await loops.close(loop, loop.failureOf(error), last);
        throw error;
      }
    },

    onStepError: both(({ callId, error, steps }) => {
      const loop = loops.get(callId);
      return loops.close(loop, loop?.failureOf(error), steps.at(-1));
    }, settings.onStepError),

    onAbort: both(({ callId }) => loops.close(loops.get(callId), "aborted"), settings.onAbort),

    onEnd: both(({ callId, finishReason, finalStep }) => {
      const loop = loops.get(callId);
      const hasFailed = finishReason === "error" || loop?.awaitsStep;
      return loops.close(loop, hasFailed ? "failed" : undefined, finalStep);
    }, settings.onEnd ?? settings.onFinish),
  };
  return hooks;
}

/** Of a call without tools, whoever is told of it after us is told of none, and not of our empty set. */
function tellNoTools(event: { tools?: unknown }, { tools }: ToolLoopSettings): void {
  if (!tools) event.tools = undefined;
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
