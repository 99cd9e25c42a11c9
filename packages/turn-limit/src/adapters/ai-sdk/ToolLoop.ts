import type { LanguageModelUsage, ModelMessage, PrepareStepResult, ToolSet } from "ai";
import type { Outcome } from "../../governor/Outcome.ts";
import type { Mishap } from "../../governor/RequestStatus.ts";
import type { Usage } from "../../governor/Usage.ts";
import { type Admission, errorOf, type GovernedRuns } from "../shared/GovernedRuns.ts";
import { nobody } from "./nobody.ts";
import type { ToolLoopSettings } from "./ToolLoopSettings.ts";

type Prepared = PrepareStepResult<ToolSet>;

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
  async prepare(messages: ModelMessage[], wanted: () => PromiseLike<Prepared> | Prepared): Promise<Prepared> {
    if (this.#aborted) throw this.#aborted.reason;
    const admission = this.#admission ?? (await this.runs.admitTurn(this.#signal));
    this.#admission = undefined;
    if (admission.kind === "stop") {
      const error = errorOf(admission);
      if (error) throw error;
      return { model: nobody, ...WITHOUT_TOOLS };
    }
    const step = await wanted();
    if (admission.kind === "proceed") return step;
    const told: ModelMessage = { role: "user", content: admission.message };
    const tools = admission.kind === "synthesize" ? WITHOUT_TOOLS : {};
    return { ...step, messages: [...(step?.messages ?? messages), told], ...tools };
  }

  /** The model answered. Which of its tool calls may run is decided here, in its order, however they then begin. */
  answered(usage: LanguageModelUsage, callIds: string[]): void {
    this.runs.turnEnded({ ...usageOf(usage) });
    for (const id of callIds) this.#verdicts.set(id, this.runs.refusal());
  }

  /** Why a tool call must not run, for the model to read, or `undefined` if it may. */
  refusal(id: string, signal: AbortSignal | undefined): string | undefined {
    this.#toolSignal = signal;
    if (!this.#verdicts.has(id)) return this.runs.refusal();
    const verdict = this.#verdicts.get(id);
    this.#verdicts.delete(id);
    return verdict;
  }

  /** What it means for the run that the call ended with this error. */
  mishapOf(error: unknown): Mishap {
    return this.#aborted || isAbort(error) ? "aborted" : "failed";
  }

  /** The end of a sub-agent's part is not the end of the run. */
  end(mishap?: Mishap): Outcome | undefined {
    return this.#isRun ? this.runs.end(mishap) : undefined;
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

function usageOf({ inputTokens, inputTokenDetails, outputTokens }: LanguageModelUsage): { usage?: Usage } {
  if (inputTokens === undefined && outputTokens === undefined) return {};
  const { noCacheTokens, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite } = inputTokenDetails;
  return {
    usage: {
      input: noCacheTokens ?? (inputTokens ?? 0) - (cacheRead ?? 0) - (cacheWrite ?? 0),
      output: outputTokens ?? 0,
      ...(cacheRead !== undefined && { cacheRead }),
      ...(cacheWrite !== undefined && { cacheWrite }),
    },
  };
}

function isAbort(error: unknown): boolean {
  return ["AbortError", "ResponseAborted", "TimeoutError"].includes(nameOf(error));
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}
