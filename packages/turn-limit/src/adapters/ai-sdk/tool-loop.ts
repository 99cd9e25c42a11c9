import type { LanguageModel, LanguageModelUsage, ModelMessage, PrepareStepResult, ToolSet } from "ai";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { Failure } from "../../core/governor/run-state.ts";
import type { Model } from "../../core/meter/model.ts";
import { type Call, type Refused, RUN_IS_OVER } from "../../run/call.ts";
import type { Turn, TurnStop } from "../../run/turn.ts";
import type { Execution } from "../shared/calls.ts";
import type { HostedAgent } from "../shared/hosted-agent.ts";
import { reportedUsage } from "../shared/reported-usage.ts";
import { boundedModel, stoppedModel } from "./bounded-model.ts";
import { CallOrder, type ToolCall } from "./call-order.ts";
import { executeTool } from "./execute-tool.ts";

type Prepared = PrepareStepResult<ToolSet>;

/** A call that begins, as the SDK tells it. */
export interface CallStart {
  callId: string;
  /** What the caller gave as `runtimeContext`. */
  runtimeContext: unknown;
  messages: ModelMessage[];
  tools: ToolSet | undefined;
}

/** A step that is about to begin, as the SDK would make it. */
export interface NextStep {
  steps: { callId: string }[];
  initialMessages: ModelMessage[];
  messages: ModelMessage[];
  model: LanguageModel;
}

const WITHOUT_TOOLS = { activeTools: [], toolChoice: "auto" } as const;

/** One call of `generateText` or `streamText`: a run, or a sub-agent's part of one. */
export class ToolLoop {
  /** What the call began with. */
  readonly start: CallStart;
  readonly agent: HostedAgent;
  readonly #signal: AbortSignal | undefined;
  readonly #calls = new CallOrder();
  // `preparing`: a step that has not begun.
  #phase: "open" | "preparing" | "over" = "open";
  #steps: object[] | undefined;
  // The signal of the requests: the caller's, or that of the call's own timeouts. Only they show that of an agent's call.
  #request: { signal: AbortSignal | undefined } | undefined;
  #model: { given: LanguageModel; step: { model: LanguageModel } } | undefined;
  #error: { error: unknown } | undefined;

  constructor(start: CallStart, agent: HostedAgent, signal: AbortSignal | undefined) {
    this.start = start;
    this.agent = agent;
    this.#signal = signal;
  }

  /** The steps of the call, to which the SDK adds. `undefined` before the first begins. */
  get steps(): object[] | undefined {
    return this.#steps;
  }

  /** Was a step prepared that has not begun? If the call ends then, it has failed, whatever the SDK says of its last step. */
  get awaitsStep(): boolean {
    return this.#phase === "preparing";
  }

  /** The loop would go on: must it stop? A limit that raises does not stop it here: {@link prepare} throws its error. */
  mustStop(): Promise<boolean> | boolean {
    this.#throwIfOver();
    this.#calls.withdrawUnbegun();
    const next = this.#decideNext();
    return next instanceof Promise ? next.then(stopsHere) : stopsHere(next);
  }

  /** The settings of the step that is about to begin: those that the user wants, and what the limits add. */
  prepare<Step extends NextStep>(
    step: Step,
    usersSettings?: (step: Step) => PromiseLike<Prepared> | Prepared,
  ): PromiseLike<Prepared> | Prepared {
    this.#steps = step.steps;
    this.#throwIfOver();
    this.#phase = "preparing";
    const { next } = this.agent;
    // The usual step, for which nobody has to be waited for.
    if (next && !usersSettings) return this.#begin(next, step, undefined);
    return this.#prepareLater(step, usersSettings);
  }

  async #prepareLater<Step extends NextStep>(
    step: Step,
    usersSettings: ((step: Step) => PromiseLike<Prepared> | Prepared) | undefined,
  ): Promise<Prepared> {
    const next = this.agent.next ?? (await this.#decideNext());
    return this.#begin(next, step, next.kind === "turn" ? await usersSettings?.(step) : undefined);
  }

  #begin(next: Turn | TurnStop, step: NextStep, prepared: Prepared): Prepared {
    this.agent.begin(next);
    if (next.kind === "stop") {
      if (next.error) throw next.error;
      return { model: stoppedModel, ...WITHOUT_TOOLS };
    }
    const limited = this.#limited(prepared?.model ?? step.model);
    const settings = prepared ? { ...prepared, ...limited } : limited;
    return next.tools ? settings : { ...settings, ...lastTools(next) };
  }

  /** A step begins with this model, so a request is about to be sent. Not called for its retries, which the model sees. */
  stepStarts(provider: string): void {
    this.#phase = "open";
    if (provider !== stoppedModel.provider) this.agent.turn.sent();
  }

  /**
   * The model answered. Must not throw, because the SDK ignores what a callback throws. The next step throws it instead.
   */
  answered(
    { inputTokens, inputTokenDetails, outputTokens }: LanguageModelUsage,
    model: Model,
    calls: readonly ToolCall[],
  ): void {
    const { noCacheTokens, cacheReadTokens, cacheWriteTokens } = inputTokenDetails;
    this.#calls.answered(calls);
    try {
      const { usage } = reportedUsage({
        totalInput: inputTokens,
        input: noCacheTokens,
        output: outputTokens,
        cacheRead: cacheReadTokens,
        cacheWrite: cacheWriteTokens,
      });
      this.agent.turn.answered({ usage, model });
    } catch (error) {
      this.#error = { error };
    }
  }

  /** Runs a tool call, or throws why it must not run, for the model to read. */
  execute({ call: toolCall, ...execution }: Execution & { call: ToolCall }): unknown {
    const run = (call: Call | Refused) => {
      if (call.kind === "refused") throw new Error(call.reason);
      return executeTool(call, execution);
    };
    if (this.#phase === "over") return run({ kind: "refused", reason: RUN_IS_OVER });
    const call = this.#calls.begin(toolCall, this.agent.turn);
    return call instanceof Promise ? call.then(run) : run(call);
  }

  /** How the run ended if its call ended with this error. */
  failureOf(error: unknown): Failure {
    // Before the first request the signal may not be known, but its error is.
    return this.#aborted || (!this.#request && isAbort(error)) ? "aborted" : "failed";
  }

  /** The call is over. The end of a sub-agent's part is not the end of the run. */
  end(failure?: Failure): Outcome | undefined {
    this.#phase = "over";
    this.#calls.withdrawUnbegun();
    return this.agent.end(failure);
  }

  #decideNext(): Promise<Turn | TurnStop> | Turn | TurnStop {
    const signal = this.#request?.signal ?? this.#signal;
    // Who aborts while a person is asked gets the reason, as at any other time.
    const decided = (next: Turn | TurnStop) => {
      if (signal?.aborted) throw signal.reason;
      return next;
    };
    const next = this.agent.decideNext(signal, undefined, this.#hasTool);
    return next instanceof Promise ? next.then(decided) : decided(next);
  }

  readonly #hasTool = (name: string): boolean => Object.hasOwn(this.start.tools ?? {}, name);

  #throwIfOver(): void {
    if (this.#aborted) throw this.#aborted.reason;
    if (this.#error) throw this.#error.error;
    this.#calls.throwIfFailed();
  }

  #limited(given: LanguageModel): { model: LanguageModel } {
    if (this.#model?.given !== given) {
      const onRequest = (signal: AbortSignal | undefined) => {
        this.#request = { signal };
      };
      this.#model = { given, step: { model: boundedModel(given, this.agent, onRequest) } };
    }
    return this.#model.step;
  }

  get #aborted(): AbortSignal | undefined {
    if (this.#signal?.aborted) return this.#signal;
    const signal = this.#request?.signal;
    return signal?.aborted ? signal : undefined;
  }
}

/**
 * What the last turn offers: nothing, or the final tool. Only its request says that the model has to call that: where the SDK
 * is told, a model that answers with a text would end the run with an error.
 */
function lastTools({ finalTool }: Turn): Prepared {
  return finalTool === undefined ? WITHOUT_TOOLS : { ...WITHOUT_TOOLS, activeTools: [finalTool] };
}

function stopsHere(next: Turn | TurnStop): boolean {
  return next.kind === "stop" && !next.error;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && ["AbortError", "ResponseAborted", "TimeoutError"].includes(error.name);
}
