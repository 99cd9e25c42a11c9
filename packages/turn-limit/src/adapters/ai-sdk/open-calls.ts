import type { ModelMessage, ToolSet } from "ai";
import type { ToolLoop } from "./tool-loop.ts";

/** A step that is about to begin, and those before it. */
interface Step {
  steps: readonly { callId: string }[];
  initialMessages: ModelMessage[];
}

/** A call whose first step has not begun. */
interface Waiting {
  loop: ToolLoop;
  initialMessages: ModelMessage[];
  /** The set of tools that was made for it. */
  tools: ToolSet | undefined;
  /** The calls that were approved before, of which the tool was executed. */
  executed: Set<string>;
}

/** The calls with the same settings, for example of one agent, that have begun and not ended. */
export class OpenCalls {
  readonly #byId = new Map<string, ToolLoop>();
  // Several may have begun with the same messages.
  #waiting: Waiting[] = [];
  #latest: ToolLoop | undefined;

  /** `tools`: the set that was made for the call. */
  add(loop: ToolLoop, initialMessages: ModelMessage[], tools: ToolSet | undefined): void {
    this.#latest = loop;
    this.#byId.set(loop.callId, loop);
    this.#waiting.push({ loop, initialMessages, tools, executed: new Set() });
  }

  delete(loop: ToolLoop): void {
    this.#byId.delete(loop.callId);
    if (this.#latest === loop) this.#latest = undefined;
    if (this.#waiting.length > 0) this.#waiting = this.#waiting.filter((waiting) => waiting.loop !== loop);
  }

  get(callId: string): ToolLoop | undefined {
    return this.#byId.get(callId);
  }

  /**
   * The call that a step belongs to. Of the first step the SDK does not say, but it has the initial messages. Of several
   * with the same ones it is the call that has `tools`.
   */
  ofStep({ steps, initialMessages }: Step, tools: ToolSet | undefined): ToolLoop | undefined {
    const last = steps.at(-1);
    return (last ? this.get(last.callId) : this.#begins(initialMessages, tools)) ?? this.#latest;
  }

  /** The call whose tool is executed before its first step, because it was approved before. */
  beforeFirstStep(messages: ModelMessage[], toolCallId: string): ToolLoop | undefined {
    const candidates = this.#waiting.filter(({ initialMessages }) => initialMessages === messages);
    // Each has its own budget, and executes a call once.
    const waiting = candidates.find(({ executed }) => !executed.has(toolCallId)) ?? candidates[0];
    waiting?.executed.add(toolCallId);
    return waiting?.loop ?? this.#latest;
  }

  #begins(messages: ModelMessage[], tools: ToolSet | undefined): ToolLoop | undefined {
    const candidates = this.#waiting.filter(({ initialMessages }) => initialMessages === messages);
    const begins = candidates.find((waiting) => waiting.tools === tools) ?? candidates[0];
    if (begins) this.#waiting = this.#waiting.filter((waiting) => waiting !== begins);
    return begins?.loop;
  }
}
