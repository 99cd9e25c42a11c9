import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { notRunAnymore } from "../../core/governor/wording.ts";
import type { StepCall } from "../../core/limits/repeated-calls.ts";
import type { Driver } from "../../pools/old-driver/driver.ts";

/** A tool call, as the program names it. */
export interface ProgramCall extends StepCall {
  id: string;
  tool: string;
}

/** A call that may run, and that is not known to have its result. */
interface OpenCall {
  call: ProgramCall;
  /** It really ran, so no denial came in time. */
  hasRun: boolean;
  end(result: unknown): void;
}

/** With `outputFormat` the model answers by calling this tool of the program. That is an answer, and no step. */
const ANSWER = "StructuredOutput";

/** The tool calls of the program, from the hook before each to its result. */
export class ToolCalls {
  readonly #driver: Driver;
  readonly #onCutOff: (reason?: string) => void;
  readonly #open = new Map<string, OpenCall>();
  readonly #asked = new Set<string>();
  readonly #denied = new Set<string>();
  // The model's answers, and whether the program accepted them.
  readonly #answers = new Map<string, boolean>();

  /** `onCutOff`: a call must not run to its end, so the program has to be interrupted. The reason is for the model. */
  constructor(driver: Driver, onCutOff: (reason?: string) => void) {
    this.#driver = driver;
    this.#onCutOff = onCutOff;
  }

  /** Is the call the model's answer? It may always be made, and is no step. */
  isAnswer({ id, tool }: ProgramCall): boolean {
    if (tool === ANSWER) this.#answers.set(id, false);
    return tool === ANSWER;
  }

  /** Why a call must not run, or `undefined` if it may. Decided in the order in which it is asked. */
  refusal(call: ProgramCall): string | undefined | Promise<string | undefined> {
    this.#asked.add(call.id);
    return this.#driver.refusal(call);
  }

  /** The program is about to run the call. If it is one too many, the text says so. */
  begin(call: ProgramCall): string | undefined {
    const result = new Promise<unknown>((end) => this.#open.set(call.id, { call, hasRun: false, end }));
    void this.#driver
      .execute(call, () => result)
      .then((executed) => {
        if (executed.kind === "cut-off") this.#onCutOff(executed.reason);
      });
    const { stop } = this.#driver.governor.view;
    return stop ? notRunAnymore(stop) : undefined;
  }

  /** The call has run, with or without success. */
  hasRun(id: string): void {
    const open = this.#open.get(id);
    if (open) open.hasRun = true;
  }

  /** A person, a rule or another hook denied the call. */
  readonly denied = (id: string): void => {
    this.#denied.add(id);
  };

  /** The call has its result, also if it was denied. One of which that is not known has run. */
  ended(id: string, result: unknown): void {
    const open = this.#open.get(id);
    if (open && !open.hasRun && this.#denied.has(id)) this.#driver.governor.stepDenied(open.call);
    this.#close(id, result);
  }

  /** Is one of the calls an answer that the program accepted? Then it asks the model no more. */
  haveAnswer(ids: string[]): boolean {
    return ids.some((id) => this.#answers.get(id));
  }

  /** A message tells of calls that have results: of answers, and of calls that were run without asking. */
  see(message: Extract<SDKMessage, { type: "user" }>): void {
    if ("isReplay" in message) return;
    const { content } = message.message;
    for (const block of Array.isArray(content) ? content : []) {
      if (block.type !== "tool_result" || block.is_error) continue;
      const id = block.tool_use_id;
      if (this.#answers.has(id)) this.#answers.set(id, true);
      else if (message.parent_tool_use_id === null && !this.#asked.has(id)) this.#ranUnasked();
    }
  }

  /** The run is over. */
  forget(): void {
    for (const id of [...this.#open.keys()]) this.#close(id, undefined);
    this.#asked.clear();
    this.#denied.clear();
    this.#answers.clear();
  }

  #close(id: string, result: unknown): void {
    this.#open.get(id)?.end(result);
    this.#open.delete(id);
  }

  // A call that nobody asked for is one too many.
  #ranUnasked(): void {
    if (this.#driver.governor.stepExecuted()) this.#onCutOff();
  }
}
