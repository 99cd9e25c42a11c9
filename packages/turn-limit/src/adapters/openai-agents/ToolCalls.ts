import type { FunctionTool, protocol } from "@openai/agents";
import type { StepCall } from "../../limits/RepeatTracker.ts";
import type { GovernedRuns } from "../shared/GovernedRuns.ts";
import { untilAborted } from "../shared/untilAborted.ts";

type Details = Parameters<FunctionTool["invoke"]>[2];

/** The tool calls of a loop's turn, by their ids. */
export class ToolCalls {
  readonly #runs: GovernedRuns;
  readonly #cut: AbortController;
  readonly #made = new Map<string, StepCall>();
  readonly #refusals = new Map<string, string | undefined>();
  readonly #executed = new Set<string>();

  /** `cut` is aborted when a call is cut off: then none runs any more in the whole run. */
  constructor(runs: GovernedRuns, cut: AbortController) {
    this.#runs = runs;
    this.#cut = cut;
  }

  /** The turn is over. */
  clear(): void {
    this.#made.clear();
    this.#refusals.clear();
    this.#executed.clear();
  }

  /** The model made a call. */
  made(call: protocol.ToolCallItem): void {
    if (call.type === "function_call") this.#made.set(call.callId, new FunctionCall(call));
  }

  /** Why a call must not run. The host may ask more than once about a call; it counts once. */
  refusal(id: string): string | undefined {
    if (!this.#refusals.has(id)) this.#refusals.set(id, this.#runs.refusal(this.#made.get(id) ?? { id }));
    return this.#refusals.get(id);
  }

  /** The result of a call, or why it was cut off. */
  async execute(id: string, details: Details, invoke: () => Promise<unknown>): Promise<unknown> {
    // An agent given as a tool is called again once what it waited for is approved: that is still the same call.
    if (this.#executed.has(id)) return untilAborted(this.#runs.cutOff, invoke());
    this.#executed.add(id);
    if (details && this.#runs.governor.timeLeft !== undefined) this.#tellOfCut(details);
    let over = false;
    const result = await this.#runs.execute({ id }, () =>
      invoke().finally(() => {
        over = true;
      }),
    );
    if (!over) this.#cut.abort();
    return result;
  }

  #tellOfCut(details: NonNullable<Details>): void {
    const { signal } = details;
    details.signal = AbortSignal.any(signal ? [signal, this.#cut.signal] : [this.#cut.signal]);
  }
}

class FunctionCall implements StepCall {
  readonly id: string;
  readonly tool: string;
  readonly #arguments: string;

  constructor({ callId, name, arguments: json }: protocol.FunctionCallItem) {
    this.id = callId;
    this.tool = name;
    this.#arguments = json;
  }

  /** Parsed only where somebody compares calls. */
  get args(): unknown {
    try {
      return JSON.parse(this.#arguments);
    } catch {
      return this.#arguments;
    }
  }
}
