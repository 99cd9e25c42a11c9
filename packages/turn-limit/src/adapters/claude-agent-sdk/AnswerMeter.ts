import type { SDKPartialAssistantMessage, SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import { addUsage, type Usage } from "../../governor/Usage.ts";

type StreamEvent = SDKPartialAssistantMessage["event"];
type StartUsage = Extract<StreamEvent, { type: "message_start" }>["message"]["usage"];

/** Adds up what answers take, as their events tell, until it is taken. */
export class AnswerMeter {
  #usage: Usage | null = null;
  #cost: number | undefined;

  /** `cost`: what the session had cost before, if that is known. */
  constructor(cost: number | undefined) {
    this.#cost = cost;
  }

  see(event: StreamEvent): void {
    if (event.type === "message_start") this.#add(startOf(event.message.usage));
    if (event.type === "message_delta") this.#add({ input: 0, output: event.usage.output_tokens });
  }

  /** The program prices the session as a whole. */
  seeResult({ total_cost_usd }: SDKResultMessage): void {
    if (this.#cost !== undefined) this.#add({ input: 0, output: 0, cost: total_cost_usd - this.#cost });
    this.#cost = total_cost_usd;
  }

  take(): { usage?: Usage } {
    const usage = this.#usage;
    this.#usage = null;
    return usage ? { usage } : {};
  }

  #add(usage: Usage): void {
    this.#usage = addUsage(this.#usage, usage);
  }
}

function startOf({ input_tokens, cache_read_input_tokens, cache_creation_input_tokens }: StartUsage): Usage {
  return {
    input: input_tokens,
    output: 0,
    cacheRead: cache_read_input_tokens ?? 0,
    cacheWrite: cache_creation_input_tokens ?? 0,
  };
}
