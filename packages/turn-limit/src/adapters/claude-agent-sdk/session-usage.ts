import type { ModelUsage, SDKPartialAssistantMessage } from "@anthropic-ai/claude-agent-sdk";
import { isAmount } from "../../core/checks.ts";
import type { Model } from "../../core/meter/model.ts";
import { addUsage, type Usage } from "../../core/meter/usage.ts";
import type { AdapterOptions } from "../../run/options.ts";

type StreamEvent = SDKPartialAssistantMessage["event"];
type StartUsage = Extract<StreamEvent, { type: "message_start" }>["message"]["usage"];

const NOTHING: Usage = { input: 0, output: 0 };

/**
 * What the answers of a session used since it was last reported. The events of the answers report a part of it. The
 * program's own totals report all of it, and replace what the events reported.
 */
export class SessionUsage {
  readonly #price: AdapterOptions["price"];
  // What gave the last answer of the main loop.
  #model: Model | undefined;
  // By the whole session; `undefined` until it is known what it took before this query.
  #reported: Usage | undefined;
  #unreported: Usage = NOTHING;
  #hasTotals = true;

  /** `price`: what an answer costs, for when the program gives no totals. */
  constructor(isNewSession: boolean, price?: AdapterOptions["price"]) {
    this.#reported = isNewSession ? NOTHING : undefined;
    this.#price = price;
  }

  see(event: StreamEvent): void {
    if (event.type === "message_start") {
      this.#model = { id: event.message.model };
      this.#add(startUsage(event.message.usage));
    }
    if (event.type === "message_delta") this.#add({ input: 0, output: reported(event.usage?.output_tokens) });
  }

  /** A run begins, and the session has taken this much before it. */
  beginAt(total: Usage): void {
    this.#reported = total;
    this.#unreported = NOTHING;
  }

  /** The session has taken this much by now. */
  seeTotal(total: Usage): void {
    const { cost, ...tokens } = total;
    const known = this.#hasTotals ? total : tokens;
    if (this.#reported) this.#unreported = difference(known, this.#reported);
    else this.#reported = difference(known, this.#unreported);
  }

  /** The program does not say how much the session has taken by now. */
  seeNoTotal(): void {
    this.#hasTotals = false;
  }

  /** What is to be reported now. */
  take(): Usage | undefined {
    const usage = this.#unreported;
    this.#unreported = NOTHING;
    if (Object.values(usage).every((amount) => amount === 0)) return undefined;
    if (this.#reported) this.#reported = addUsage(this.#reported, usage);
    const cost = this.#hasTotals ? undefined : this.#price?.(usage, this.#model);
    return cost === undefined ? usage : { ...usage, cost };
  }

  #add(usage: Usage): void {
    this.#unreported = addUsage(this.#unreported, usage);
  }
}

/** The program's total of a session, with its sub-agents. */
export function totalUsage(cost: number, models: Record<string, ModelUsage>): Usage {
  return Object.values(models)
    .map(
      (model): Usage => ({
        input: reported(model.inputTokens),
        output: reported(model.outputTokens),
        cacheRead: reported(model.cacheReadInputTokens),
        cacheWrite: reported(model.cacheCreationInputTokens),
      }),
    )
    .reduce(addUsage, { ...NOTHING, cost: reported(cost) });
}

function startUsage(usage: StartUsage | undefined): Usage {
  return {
    input: reported(usage?.input_tokens),
    output: 0,
    cacheRead: reported(usage?.cache_read_input_tokens),
    cacheWrite: reported(usage?.cache_creation_input_tokens),
  };
}

/** Not every server that the program can talk to reports each number. */
function reported(amount: number | null | undefined): number {
  return isAmount(amount) ? amount : 0;
}

/** Never negative: the events may have reported answers that the program has thrown away. */
function difference(usage: Usage, part: Usage): Usage {
  const left: Usage = { ...usage };
  for (const key of Object.keys(left) as (keyof Usage)[])
    left[key] = Math.max(0, (usage[key] ?? 0) - (part[key] ?? 0));
  return left;
}
