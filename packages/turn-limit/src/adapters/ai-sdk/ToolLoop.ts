import type { LanguageModel, LanguageModelUsage, ModelMessage, PrepareStepResult, ToolSet } from "ai";
import type { Outcome } from "../../governor/Outcome.ts";
import type { Mishap } from "../../governor/RequestStatus.ts";
import type { StepCall } from "../../limits/RepeatTracker.ts";
import { type Admission, errorOf, type GovernedRuns } from "../shared/GovernedRuns.ts";
import type { Execution } from "../shared/settled.ts";
import { bounded } from "./bounded.ts";
import { executed } from "./executed.ts";
import { nobody } from "./nobody.ts";
import type { ToolLoopSettings } from "./ToolLoopSettings.ts";
import { usageOf } from "./usageOf.ts";

type Prepared = PrepareStepResult<ToolSet>;

/** A step that is about to begin, as the SDK would make it. */
interface NextStep {
  messages: ModelMessage[];
  model: LanguageModel;
}

/** A tool call of the model's. */
export interface ToolCall extends StepCall {
  id: string;
}

const WITHOUT_TOOLS = { activeTools: [], toolChoice: "auto" } as const;

/** One call of `generateText` or `streamText`: a run, or a sub-agent's part of one. */
export class ToolLoop {
  readonly callId: string;
  readonly runs: GovernedRuns;
  readonly #isRun: boolean;
  readonly #signal: AbortSignal | undefined;
  readonly #timeout: ToolLoopSettings["timeout"];
  readonly #verdicts = new Map<string, string | undefined>();
  #toolSignal: AbortSignal | undefined;
  #model: { given: LanguageModel; bounded: LanguageModel } | undefined;
  #admission: Admission | undefined;

  constructor(callId: string, runs: GovernedRuns, isRun: boolean, settings: ToolLoopSettings) {
    this.callId = callId;
    this.runs = runs;
    this.#isRun = isRun;
    this.#signal = settings.abortSignal;
    this.#timeout = settings.timeout;
    if (isRun) runs.begin();
  }

  /** The loop would go on: must it stop? A stop that is an error is left to {@link prepare}, which throws it. */
  async mustStop(): Promise<boolean> {
    if (this.#aborted) throw this.#aborted.reason;
    this.#admission = await this.runs.admitTurn(this.#signal ?? this.#toolSignal);
    return this.#admission.kind === "stop" && !errorOf(this.#admission);
  }

  /** The settings of the step that is about to begin, made of those that the user wants for it. */
  async prepare(next: NextStep, wanted: () => PromiseLike<Prepared> | Prepared): Promise<Prepared> {
    if (this.#aborted) throw this.#aborted.reason;
    const admission = this.#admission ?? (await this.runs.admitTurn(this.#signal));
    this.#admission = undefined;
    if (admission.kind === "stop") {
      const error = errorOf(admission);
      if (error) throw error;
      return { model: nobody, ...WITHOUT_TOOLS };
    }
    const prepared = await wanted();
    const step = { ...prepared, model: this.#bounded(prepared?.model ?? next.model) };
    if (admission.kind === "proceed") return step;
    const told: ModelMessage = { role: "user", content: admission.message };
    const tools = admission.kind === "synthesize" ? WITHOUT_TOOLS : {};
    return { ...step, messages: [...(prepared?.messages ?? next.messages), told], ...tools };
  }

  /** A step begins with this model, so that a request is about to be sent. Its retries are not told. */
  stepStarts(provider: string): void {
    if (provider !== nobody.provider) this.runs.requestSent();
  }

  /** The model answered. Which of its tool calls may run is decided here, in its order, however they then begin. */
  answered(usage: LanguageModelUsage, calls: ToolCall[]): void {
    this.runs.turnEnded(usageOf(usage));
    for (const call of calls) this.#verdicts.set(call.id, this.runs.refusal(call));
  }

  /** Runs a tool call, or throws why it must not run, for the model to read. */
  execute(execution: Execution & { call: ToolCall }): unknown {
    this.#toolSignal = execution.signal;
    const refusal = this.#refusal(execution.call);
    if (refusal !== undefined) throw new Error(refusal);
    return executed(this.runs, execution);
  }

  /** What it means for the run that the call ended with this error. */
  mishapOf(error: unknown): Mishap {
    return this.#aborted || isAbort(error) ? "aborted" : "failed";
  }

  /** The end of a sub-agent's part is not the end of the run. */
  end(mishap?: Mishap): Outcome | undefined {
    return this.#isRun ? this.runs.end(mishap) : undefined;
  }

  #refusal(call: ToolCall): string | undefined {
    if (!this.#verdicts.has(call.id)) return this.runs.refusal(call);
    const verdict = this.#verdicts.get(call.id);
    this.#verdicts.delete(call.id);
    return verdict;
  }

  #bounded(given: LanguageModel): LanguageModel {
    if (this.#model?.given !== given) this.#model = { given, bounded: bounded(given, this.runs) };
    return this.#model.bounded;
  }

  get #aborted(): AbortSignal | undefined {
    if (this.#signal?.aborted) return this.#signal;
    const signal = this.#toolSignal;
    return signal?.aborted && !this.#isToolTimeout(signal) ? signal : undefined;
  }

  // A tool's signal also stands for the tool's own timeout, after which the loop goes on. In doubt it is that.
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
