import type { LanguageModel, LanguageModelUsage, ModelMessage, PrepareStepResult, ToolSet } from "ai";
import type { Admission, Driver } from "../../driver/driver.ts";
import { limitError } from "../../governor/decision.ts";
import type { Outcome } from "../../governor/outcome.ts";
import type { Failure } from "../../governor/run.ts";
import type { StepCall } from "../../limits/repeated-calls.ts";
import type { Execution } from "../shared/execute-call.ts";
import { reportedUsage } from "../shared/reported-usage.ts";
import { executeTool } from "./execute-tool.ts";
import { limitedModel, stoppedModel } from "./limited-model.ts";
import type { ToolLoopSettings } from "./tool-loop-settings.ts";

type Prepared = PrepareStepResult<ToolSet>;

/** A step that is about to begin, as the SDK would make it. */
interface NextStep {
  messages: ModelMessage[];
  model: LanguageModel;
}

/** A tool call of the model. */
export interface ToolCall extends StepCall {
  id: string;
}

const WITHOUT_TOOLS = { activeTools: [], toolChoice: "auto" } as const;

/** One call of `generateText` or `streamText`: a run, or a sub-agent's part of one. */
export class ToolLoop {
  readonly callId: string;
  readonly driver: Driver;
  readonly #isRun: boolean;
  readonly #signal: AbortSignal | undefined;
  readonly #timeout: ToolLoopSettings["timeout"];
  // Why a call must not run, or `undefined` if it may, for calls that are decided and have not begun.
  readonly #refusals = new Map<string, string | undefined>();
  #toolSignal: AbortSignal | undefined;
  #model: { given: LanguageModel; limited: LanguageModel } | undefined;
  #admission: Admission | undefined;
  #error: { error: unknown } | undefined;

  constructor(callId: string, driver: Driver, isRun: boolean, settings: ToolLoopSettings) {
    this.callId = callId;
    this.driver = driver;
    this.#isRun = isRun;
    this.#signal = settings.abortSignal;
    this.#timeout = settings.timeout;
    if (isRun) driver.begin();
  }

  /** The loop would go on: must it stop? A limit that raises does not stop it here: {@link prepare} throws its error. */
  async mustStop(): Promise<boolean> {
    this.#throwIfOver();
    this.#admission = await this.#admit(this.#signal ?? this.#toolSignal);
    return this.#admission.kind === "stop" && !limitError(this.#admission);
  }

  /** The settings of the step that is about to begin: those that the user wants, and what the limits add. */
  async prepare(next: NextStep, userSettings: () => PromiseLike<Prepared> | Prepared): Promise<Prepared> {
    this.#throwIfOver();
    const admission = this.#admission ?? (await this.#admit(this.#signal));
    this.#admission = undefined;
    if (admission.kind === "stop") {
      const error = limitError(admission);
      if (error) throw error;
      return { model: stoppedModel, ...WITHOUT_TOOLS };
    }
    const prepared = await userSettings();
    const step = { ...prepared, model: this.#limited(prepared?.model ?? next.model) };
    if (admission.kind === "proceed") return step;
    const told: ModelMessage = { role: "user", content: admission.message };
    const tools = admission.kind === "synthesize" ? WITHOUT_TOOLS : {};
    return { ...step, messages: [...(prepared?.messages ?? next.messages), told], ...tools };
  }

  /** A step begins with this model, so a request is about to be sent. Not called for its retries. */
  stepStarts(provider: string): void {
    if (provider !== stoppedModel.provider) this.driver.requestSent();
  }

  /**
   * The model answered. Its tool calls are decided here in the model's order: they may begin in another. Must not throw,
   * because the SDK ignores what a callback throws. The next step throws it instead.
   */
  answered({ inputTokens, inputTokenDetails, outputTokens }: LanguageModelUsage, calls: ToolCall[]): void {
    const { noCacheTokens, cacheReadTokens, cacheWriteTokens } = inputTokenDetails;
    try {
      this.driver.turnEnded(
        reportedUsage({
          totalInput: inputTokens,
          input: noCacheTokens,
          output: outputTokens,
          cacheRead: cacheReadTokens,
          cacheWrite: cacheWriteTokens,
        }),
      );
      for (const call of calls) this.#refusals.set(call.id, this.driver.refusal(call));
    } catch (error) {
      this.#error = { error };
    }
  }

  /** Runs a tool call, or throws why it must not run, for the model to read. */
  execute(execution: Execution & { call: ToolCall }): unknown {
    this.#toolSignal = execution.signal;
    const refusal = this.#refusal(execution.call);
    if (refusal !== undefined) throw new Error(refusal);
    return executeTool(this.driver, execution);
  }

  /** How the run ended if its call ended with this error. */
  failureOf(error: unknown): Failure {
    return this.#aborted || isAbort(error) ? "aborted" : "failed";
  }

  /** The call is over. The end of a sub-agent's part is not the end of the run. */
  end(failure?: Failure): Outcome | undefined {
    return this.#isRun ? this.driver.end(failure) : undefined;
  }

  #admit(signal: AbortSignal | undefined): Promise<Admission> {
    return this.#isRun ? this.driver.admitTurn(signal) : this.driver.admitSubAgentTurn(signal);
  }

  #throwIfOver(): void {
    if (this.#aborted) throw this.#aborted.reason;
    if (this.#error) throw this.#error.error;
  }

  #refusal(call: ToolCall): string | undefined {
    if (!this.#refusals.has(call.id)) return this.driver.refusal(call);
    const refusal = this.#refusals.get(call.id);
    this.#refusals.delete(call.id);
    return refusal;
  }

  #limited(given: LanguageModel): LanguageModel {
    if (this.#model?.given !== given) this.#model = { given, limited: limitedModel(given, this.driver) };
    return this.#model.limited;
  }

  get #aborted(): AbortSignal | undefined {
    if (this.#signal?.aborted) return this.#signal;
    const signal = this.#toolSignal;
    return signal?.aborted && !this.#isToolTimeout(signal) ? signal : undefined;
  }

  // A tool's signal is also aborted by the tool's own timeout, after which the loop goes on. If it cannot be told, it
  // was that.
  #isToolTimeout({ reason }: AbortSignal): boolean {
    if (nameOf(reason) !== "TimeoutError") return false;
    const timeout = this.#timeout;
    return (
      timeout === undefined || (typeof timeout === "object" && ("toolMs" in timeout || "tools" in timeout))
    );
  }
}

function isAbort(error: unknown): boolean {
  return ["AbortError", "ResponseAborted", "TimeoutError"].includes(nameOf(error));
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}
