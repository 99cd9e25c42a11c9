import type { SDKPartialAssistantMessage } from "@anthropic-ai/claude-agent-sdk";
import { addUsage, type Usage } from "../../governor/Usage.ts";

type StreamEvent = SDKPartialAssistantMessage["event"];
type StartUsage = Extract<StreamEvent, { type: "message_start" }>["message"]["usage"];

/** Adds up what answers take, until it is taken: as their events tell, or better, as the program accounts for it. */
export class AnswerMeter {
  readonly #price: ((usage: Usage) => number | undefined) | undefined;
  // Of the session, as far as its beginning is known.
  #taken: Usage | undefined;
  #pending: Usage | null = null;
  #accounted = true;

  /** `price`: what an answer costs, if the program does not say in time. */
  constructor(isNewSession: boolean, price?: (usage: Usage) => number | undefined) {
    this.#taken = isNewSession ? { input: 0, output: 0 } : undefined;
    this.#price = price;
  }

  see(event: StreamEvent): void {
    if (event.type === "message_start") this.#add(startOf(event.message.usage));
    if (event.type === "message_delta") this.#add({ input: 0, output: event.usage.output_tokens });
  }

  /** A run begins when the session has taken this much. */
  beginAt(total: Usage): void {
    this.#taken = total;
    this.#pending = null;
  }

  /** The session has taken this much by now. */
  seeTotal(total: Usage): void {
    const { cost, ...tokens } = total;
    const known = this.#accounted ? total : tokens;
    if (this.#taken) this.#pending = without(known, this.#taken);
    else this.#taken = without(known, this.#pending ?? { input: 0, output: 0 });
  }

  /** The program does not say what the session has taken by now. */
  seeNoTotal(): void {
    this.#accounted = false;
  }

  take(): { usage?: Usage } {
    const usage = this.#pending;
    this.#pending = null;
    if (!usage || isNothing(usage)) return {};
    if (this.#taken) this.#taken = addUsage(this.#taken, usage);
    const cost = this.#accounted ? undefined : this.#price?.(usage);
    return { usage: cost === undefined ? usage : { ...usage, cost } };
  }

  #add(usage: Usage): void {
    this.#pending = addUsage(this.#pending, usage);
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

/** What is left of a usage. The events may have told of answers that the program has thrown away. */
function without(usage: Usage, part: Usage): Usage {
  const left: Usage = { ...usage };
  for (const key of Object.keys(left) as (keyof Usage)[])
    left[key] = Math.max(0, (usage[key] ?? 0) - (part[key] ?? 0));
  return left;
}

function isNothing(usage: Usage): boolean {
  return Object.values(usage).every((amount) => amount === 0);
}
