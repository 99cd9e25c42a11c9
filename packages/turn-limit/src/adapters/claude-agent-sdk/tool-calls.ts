import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import type { Call } from "../../run/call.ts";

/** A call that may run, and that is not known to have its result. */
interface OpenCall {
  readonly call: Call;
  /** It really ran, so no denial came in time. */
  hasRun: boolean;
}

/** With `outputFormat` the model answers by calling this tool of the program. That is an answer, and no step. */
const ANSWER = "StructuredOutput";

/** The tool calls of the program, from the hook before each to its result. */
export class ToolCalls {
  readonly #open = new Map<string, OpenCall>();
  readonly #asked = new Set<string>();
  readonly #denied = new Set<string>();
  // The model's answers, and whether the program accepted them.
  readonly #answers = new Map<string, boolean>();

  /** Are calls under way, so that the run can go on without their results? */
  get areOpen(): boolean {
    return this.#open.size > 0;
  }

  /** The program asks whether a call may run. Is it the model's answer, which may always be made and is no step? */
  isAnswer(id: string, tool: string): boolean {
    if (tool === ANSWER) this.#answers.set(id, false);
    else this.#asked.add(id);
    return tool === ANSWER;
  }

  /** The program is about to run the call. */
  begin(id: string, call: Call): void {
    this.#open.set(id, { call, hasRun: false });
    call.executed();
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

  /** The call has its result, also if it was denied. One of which that is not known has run. Has it? */
  ended(id: string, result: unknown): boolean {
    const { call, hasRun } = this.#open.get(id) ?? {};
    this.#open.delete(id);
    const isDenied = !hasRun && this.#denied.has(id);
    if (isDenied) call?.denied();
    else call?.ended(result);
    return !isDenied;
  }

  /** Is one of the calls an answer that the program accepted? Then it asks the model no more. */
  haveAnswer(ids: readonly string[]): boolean {
    return ids.some((id) => this.#answers.get(id));
  }

  /** A message tells of calls that have results. Returns those of the main loop that were run without asking. */
  unaskedIn(message: Extract<SDKMessage, { type: "user" }>): string[] {
    if ("isReplay" in message) return [];
    const { content } = message.message;
    const succeeded = (Array.isArray(content) ? content : []).flatMap((block) =>
      block.type === "tool_result" && !block.is_error ? [block.tool_use_id] : [],
    );
    for (const id of succeeded) if (this.#answers.has(id)) this.#answers.set(id, true);
    if (message.parent_tool_use_id !== null) return [];
    return succeeded.filter((id) => !this.#answers.has(id) && !this.#asked.has(id));
  }

  /** The run is over. */
  forget(): void {
    this.#open.clear();
    this.#asked.clear();
    this.#denied.clear();
    this.#answers.clear();
  }
}
