import type { LanguageModel, LanguageModelUsage, ModelMessage, PrepareStepResult, ToolSet } from "ai";
import { limitError } from "../../core/governor/decision.ts";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { Failure } from "../../core/governor/run.ts";
import type { StepCall } from "../../core/limits/repeated-calls.ts";
import type { Model } from "../../core/meter/model.ts";
import type { Admission, Driver } from "../../pools/old-driver/driver.ts";
import type { Execution } from "../shared/execute-call.ts";
import { reportedUsage } from "../shared/reported-usage.ts";
import { executeTool, lastResult } from "./execute-tool.ts";
import { limitedModel, stoppedModel } from "./limited-model.ts";

type Prepared = PrepareStepResult<ToolSet>;

/** A call that begins, as the SDK tells it. */
export interface CallStart {
  callId: string;
  /** What the caller gave as `runtimeContext`. */
  runtimeContext: unknown;
  tools: ToolSet | undefined;
}

/** A step that is about to begin, as the SDK would make it. */
interface NextStep {
  steps: object[];
  messages: ModelMessage[];
  model: LanguageModel;
}

/** A tool call of the model. */
export interface ToolCall extends StepCall {
  id: string;
}

const OVER = "Not run: the run is over.";
const WITHOUT_TOOLS = { activeTools: [], toolChoice: "auto" } as const;

/** One call of `generateText` or `streamText`: a run, or a sub-agent's part of one. */
export class ToolLoop {
  readonly callId: string;
  /** What the call began with. */
  readonly tools: ToolSet | undefined;
  readonly #isRun: boolean;
  #driver: Driver;
  #isOver = false;
  #isShared = false;
  #awaitsStep = false;
  readonly #mayCutOff: boolean;
  readonly #signal: AbortSignal | undefined;
  // The tool calls of an answer, while none of them has begun.
  #undecided: readonly ToolCall[] = [];
  // Calls that have not begun, and why each must not run, or `undefined` if it may. Several may have the same id.
  #decided: { call: ToolCall; refusal: Refusal }[] = [];
  #steps: object[] | undefined;
  // The signal of the requests: the caller's, or that of the call's own timeouts. Only they show that of an agent's call.
  #request: { signal: AbortSignal | undefined } | undefined;
  #model: { given: LanguageModel; step: { model: LanguageModel } } | undefined;
  #admission: Admission | undefined;
  #error: { error: unknown } | undefined;

  constructor(call: CallStart, driver: Driver, isRun: boolean, signal: AbortSignal | undefined) {
    this.callId = call.callId;
    this.tools = call.tools;
    this.#driver = driver;
    this.#isRun = isRun;
    this.#signal = signal;
    if (isRun) driver.begin({ id: call.callId, context: call.runtimeContext });
    this.#mayCutOff = driver.mayCutOff;
  }

  /** The steps of the call, to which the SDK adds. `undefined` before the first begins. */
  get steps(): object[] | undefined {
    return this.#steps;
  }

  /** Was a step prepared that has not begun? If the call ends then, it has failed, whatever the SDK says of its last step. */
  get awaitsStep(): boolean {
    return this.#awaitsStep;
  }

  /** The loop would go on: must it stop? A limit that raises does not stop it here: {@link prepare} throws its error. */
  async mustStop(): Promise<boolean> {
    this.#throwIfOver();
    this.#withdrawUnbegun();
    this.#admission = await this.#admit();
    return this.#admission.kind === "stop" && !limitError(this.#admission);
  }

  /** The settings of the step that is about to begin: those that the user wants, and what the limits add. */
  prepare<Step extends NextStep>(
    next: Step,
    usersSettings?: (step: Step) => PromiseLike<Prepared> | Prepared,
  ): PromiseLike<Prepared> | Prepared {
    this.#steps = next.steps;
    this.#throwIfOver();
    this.#awaitsStep = true;
    const admission = this.#admission;
    this.#admission = undefined;
    // The usual step, for which nobody has to be waited for.
    if (admission && !usersSettings) return this.#admitted(admission, next, undefined);
    return this.#prepareLater(admission, next, usersSettings);
  }

  async #prepareLater<Step extends NextStep>(
    known: Admission | undefined,
    next: Step,
    usersSettings: ((step: Step) => PromiseLike<Prepared> | Prepared) | undefined,
  ): Promise<Prepared> {
    const admission = known ?? (await this.#admit());
    const begins = admission.kind !== "stop";
    return this.#admitted(admission, next, begins ? await usersSettings?.(next) : undefined);
  }

  #admitted(admission: Admission, next: NextStep, prepared: Prepared): Prepared {
    if (admission.kind === "stop") {
      const error = limitError(admission);
      if (error) throw error;
      return { model: stoppedModel, ...WITHOUT_TOOLS };
    }
    const limited = this.#limited(prepared?.model ?? next.model);
    const step = prepared ? { ...prepared, ...limited } : limited;
    if (admission.kind === "proceed") return step;
    const told: ModelMessage = { role: "user", content: admission.message };
    const tools = admission.kind === "synthesize" ? WITHOUT_TOOLS : {};
    return { ...step, messages: [...(prepared?.messages ?? next.messages), told], ...tools };
  }

  /** A step begins with this model, so a request is about to be sent. Not called for its retries. */
  stepStarts(provider: string): void {
    this.#awaitsStep = false;
    if (provider !== stoppedModel.provider) this.#driver.requestSent();
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
    this.#undecided = calls;
    try {
      const usage = reportedUsage({
        totalInput: inputTokens,
        input: noCacheTokens,
        output: outputTokens,
        cacheRead: cacheReadTokens,
        cacheWrite: cacheWriteTokens,
      });
      this.#driver.turnEnded(usage, model);
    } catch (error) {
      this.#error = { error };
    }
  }

  /** Runs a tool call, or throws why it must not run, for the model to read. */
  execute(execution: Execution & { call: ToolCall }): unknown {
    const refusal = this.#isOver ? OVER : this.#refusal(execution.call);
    const run = (refused: string | undefined) => {
      if (refused !== undefined) throw new Error(refused);
      return executeTool(this.#driver, execution);
    };
    return refusal instanceof Promise ? refusal.then((refused) => lastResult(run(refused))) : run(refusal);
  }

  /** The driver, for a sub-agent of the run. */
  share(): Driver {
    this.#isShared = true;
    return this.#driver;
  }

  /** How the run ended if its call ended with this error. */
  failureOf(error: unknown): Failure {
    // Before the first request the signal may not be known, but its error is.
    return this.#aborted || (!this.#request && isAbort(error)) ? "aborted" : "failed";
  }

  /** The call is over. The end of a sub-agent's part is not the end of the run. */
  end(failure?: Failure): Outcome | undefined {
    this.#isOver = true;
    this.#withdrawUnbegun();
    return this.#isRun ? this.#driver.end(failure) : undefined;
  }

  /** Resolves when pools have been told what the run used; `undefined` if there are none. */
  poolsSettled(): Promise<void> | undefined {
    return this.#isRun ? this.#driver.poolsSettled() : undefined;
  }

  /**
   * Gives away the driver of a run that is over, if nothing can still be under way in it. Who comes late gets the other
   * driver, whose run is over, too.
   */
  release(other: () => Driver): Driver | undefined {
    if (!this.#isRun || this.#isShared || this.#mayCutOff) return undefined;
    const driver = this.#driver;
    this.#driver = other();
    return driver;
  }

  async #admit(): Promise<Admission> {
    const signal = this.#request?.signal ?? this.#signal;
    const admission = this.#isRun
      ? await this.#driver.admitTurn(signal)
      : await this.#driver.admitSubAgentTurn(signal);
    // Whoever aborts while a person is asked gets the reason, as at any other time.
    if (signal?.aborted) throw signal.reason;
    return admission;
  }

  #throwIfOver(): void {
    if (this.#aborted) throw this.#aborted.reason;
    if (this.#error) throw this.#error.error;
  }

  #refusal(call: ToolCall): Refusal {
    // The calls of an answer are decided in the model's order: they may begin in another. If none begins, none counts.
    const undecided = this.#undecided;
    if (undecided.some(({ id }) => id === call.id)) {
      this.#undecided = [];
      for (const each of undecided) this.#decided.push({ call: each, refusal: this.#decide(each) });
    }
    const index = this.#decided.findIndex((decided) => decided.call.id === call.id);
    return index < 0 ? this.#decide(call) : this.#decided.splice(index, 1)[0]?.refusal;
  }

  // A call that may run and did not, for example because another limiter refused it, is no step.
  #withdrawUnbegun(): void {
    const withdraw = (call: ToolCall, refused: string | undefined) => {
      if (refused === undefined) this.#driver.governor.stepDenied(call);
    };
    for (const { call, refusal } of this.#decided)
      if (refusal instanceof Promise) void refusal.then((refused) => withdraw(call, refused));
      else withdraw(call, refusal);
    this.#decided = [];
  }

  // What it throws would be the result of the call. The next step throws it instead.
  #decide(call: ToolCall): Refusal {
    const failed = (error: unknown) => {
      this.#error = { error };
      return String(error);
    };
    try {
      const refusal = this.#driver.refusal(call);
      return refusal instanceof Promise ? refusal.catch(failed) : refusal;
    } catch (error) {
      return failed(error);
    }
  }

  readonly #requested = (signal: AbortSignal | undefined): void => {
    this.#request = { signal };
  };

  #limited(given: LanguageModel): { model: LanguageModel } {
    if (this.#model?.given !== given)
      this.#model = { given, step: { model: limitedModel(given, this.#driver, this.#requested) } };
    return this.#model.step;
  }

  get #aborted(): AbortSignal | undefined {
    return [this.#signal, this.#request?.signal].find((signal) => signal?.aborted);
  }
}

/** Why a call must not run, which is known later if the run draws from a pool that counts calls. */
type Refusal = string | undefined | Promise<string | undefined>;

function isAbort(error: unknown): boolean {
  return error instanceof Error && ["AbortError", "ResponseAborted", "TimeoutError"].includes(error.name);
}
