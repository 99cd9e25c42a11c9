import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { refusal } from "../../governor/wording.ts";
import type { StepCall } from "../../limits/RepeatTracker.ts";
import type { GovernedRuns } from "../shared/GovernedRuns.ts";

/** A tool call, as the program names it. */
export interface ProgramCall extends StepCall {
  id: string;
}

/** The tool calls that the program may run, until it says what came of them. */
export class ToolCalls {
  readonly #runs: GovernedRuns;
  readonly #onCut: () => void;
  readonly #underWay = new Map<string, (result: [unknown]) => void>();
  readonly #asked = new Set<string>();

  /** `onCut`: calls do not run to their end, so the program has to be interrupted. */
  constructor(runs: GovernedRuns, onCut: () => void) {
    this.#runs = runs;
    this.#onCut = onCut;
  }

  /** Why a call must not run, or `undefined` if it may. Nothing is awaited. */
  refusal(call: ProgramCall): string | undefined {
    this.#asked.add(call.id);
    return this.#runs.refusal(call);
  }

  /** The program is about to run the call. A text: it is one too many. */
  begin(call: ProgramCall): string | undefined {
    const result = new Promise<[unknown]>((resolve) => this.#underWay.set(call.id, resolve));
    void this.#runs
      .execute(call, () => result)
      .then((ended) => {
        if (typeof ended === "string") this.#onCut();
      });
    const { stop } = this.#runs.governor;
    return stop ? refusal(stop) : undefined;
  }

  /** The call has its result, whether it was run or somebody else refused it. */
  ended(id: string, result: unknown): void {
    this.#underWay.get(id)?.([result]);
    this.#underWay.delete(id);
  }

  /** A message of the main loop may tell of a call that was run without asking: one too many. */
  see(message: Extract<SDKMessage, { type: "user" }>): void {
    if ("isReplay" in message || message.parent_tool_use_id !== null) return;
    const { content } = message.message;
    for (const block of Array.isArray(content) ? content : []) {
      if (block.type !== "tool_result" || block.is_error || this.#asked.has(block.tool_use_id)) continue;
      if (this.#runs.governor.stepExecuted()) this.#onCut();
    }
  }

  /** The run is over. */
  forget(): void {
    for (const id of [...this.#underWay.keys()]) this.ended(id, undefined);
    this.#asked.clear();
  }
}
