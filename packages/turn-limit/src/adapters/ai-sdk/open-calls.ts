import type { ModelMessage } from "ai";
import type { ToolLoop } from "./tool-loop.ts";

/** A step that is about to begin, and those before it. */
interface Step {
  steps: readonly { callId: string }[];
  initialMessages: ModelMessage[];
}

/** The calls with the same settings, for example of one agent, that have begun and not ended. */
export class OpenCalls {
  readonly #byId = new Map<string, ToolLoop>();
  // Several calls may begin with the same messages.
  readonly #byInitialMessages = new WeakMap<ModelMessage[], ToolLoop[]>();
  #latest: ToolLoop | undefined;

  add(loop: ToolLoop, initialMessages: ModelMessage[]): void {
    this.#latest = loop;
    this.#byId.set(loop.callId, loop);
    this.#byInitialMessages.set(initialMessages, [...this.#beganWith(initialMessages), loop]);
  }

  delete({ callId }: ToolLoop): void {
    this.#byId.delete(callId);
  }

  get(callId: string): ToolLoop | undefined {
    return this.#byId.get(callId);
  }

  /** The call that a step belongs to. Of the first step the SDK does not say, but it has the initial messages. */
  ofStep({ steps, initialMessages }: Step): ToolLoop | undefined {
    const last = steps.at(-1);
    const known = last ? this.get(last.callId) : this.#beganWith(initialMessages).shift();
    return known ?? this.#latest;
  }

  /** The call whose tool is executed before its first step, because it was approved before. */
  beforeFirstStep(initialMessages: ModelMessage[]): ToolLoop | undefined {
    return this.#beganWith(initialMessages)[0] ?? this.#latest;
  }

  #beganWith(messages: ModelMessage[]): ToolLoop[] {
    return this.#byInitialMessages.get(messages) ?? [];
  }
}
