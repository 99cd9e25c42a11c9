import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import type { Driver } from "../../driver/driver.ts";
import { notRunAnymore } from "../../governor/wording.ts";
import type { StepCall } from "../../limits/repeated-calls.ts";

/** A tool call, as the program names it. */
export interface ProgramCall extends StepCall {
  id: string;
}

/** The tool calls of the program, from the hook before each to its result. */
export class ToolCalls {
  readonly #driver: Driver;
  readonly #onCutOff: (reason?: string) => void;
  readonly #underWay = new Map<string, (result: unknown) => void>();
  readonly #asked = new Set<string>();

  /** `onCutOff`: a call must not run to its end, so the program has to be interrupted. The reason is for the model. */
  constructor(driver: Driver, onCutOff: (reason?: string) => void) {
    this.#driver = driver;
    this.#onCutOff = onCutOff;
  }

  /** Why a call must not run, or `undefined` if it may. Nothing is awaited. */
  refusal(call: ProgramCall): string | undefined {
    this.#asked.add(call.id);
    return this.#driver.refusal(call);
  }

  /** The program is about to run the call. If it is one too many, the text says so. */
  begin(call: ProgramCall): string | undefined {
    const result = new Promise<unknown>((resolve) => this.#underWay.set(call.id, resolve));
    void this.#driver
      .execute(call, () => result)
      .then((executed) => {
        if (executed.kind === "cut-off") this.#onCutOff(executed.reason);
      });
    const { stop } = this.#driver.governor.view;
    return stop ? notRunAnymore(stop) : undefined;
  }

  /** The call has its result, whether it was run or another hook refused it. */
  ended(id: string, result: unknown): void {
    this.#underWay.get(id)?.(result);
    this.#underWay.delete(id);
  }

  /** A message of the main loop may tell of a call that was run without asking. That is one too many. */
  see(message: Extract<SDKMessage, { type: "user" }>): void {
    if ("isReplay" in message || message.parent_tool_use_id !== null) return;
    const { content } = message.message;
    for (const block of Array.isArray(content) ? content : []) {
      if (block.type !== "tool_result" || block.is_error || this.#asked.has(block.tool_use_id)) continue;
      if (this.#driver.governor.stepExecuted()) this.#onCutOff();
    }
  }

  /** The run is over. */
  forget(): void {
    for (const id of [...this.#underWay.keys()]) this.ended(id, undefined);
    this.#asked.clear();
  }
}
