import type {
  ModelUsage,
  Options,
  Query,
  SDKPartialAssistantMessage,
  SDKResultMessage,
} from "@anthropic-ai/claude-agent-sdk";
import { isAmount } from "../../core/checks.ts";
import type { LimitIdentity } from "../../core/limits/boundary.ts";
import { kindOf } from "../../core/limits/kinds.ts";
import type { Model } from "../../core/meter/model.ts";
import { addUsage, type Usage } from "../../core/meter/usage.ts";
import type { AdapterOptions } from "../../run/options.ts";
import type { Run } from "../../run/run.ts";
import { type Report, reportedUsage } from "../shared/reported-usage.ts";

const NOTHING: Usage = { input: 0, output: 0 };

/**
 * Reports to the run what its agents used, all of them together. The events of the answers say a part of it: the tokens of
 * the main loop. The program's totals of the session say all of it, and replace what the events said.
 */
export class SessionUsage {
  readonly #run: Run;
  readonly #readTotal: () => Promise<Usage | undefined>;
  readonly #price: AdapterOptions["price"];
  /** Of the whole session; `undefined` until it is known what it used before this query. */
  #reported: Usage | undefined;
  #unreported = NOTHING;
  /** What gave the last answer of the main loop. */
  #model: Model | undefined;
  #hasTotals = true;

  /** `readTotal`: what the session has used by now, if the program says. `price`: for when it does not. */
  constructor(
    run: Run,
    { resume, continue: continues }: Options,
    readTotal: () => Promise<Usage | undefined>,
    price: AdapterOptions["price"],
  ) {
    this.#run = run;
    this.#readTotal = readTotal;
    this.#price = price;
    this.#reported = resume || continues ? undefined : NOTHING;
  }

  get model(): Model | undefined {
    return this.#model;
  }

  see(event: SDKPartialAssistantMessage["event"]): void {
    if (event.type === "message_start") {
      const { model, usage } = event.message;
      const { input_tokens: input, cache_read_input_tokens: cacheRead } = usage ?? {};
      this.#model = { id: model };
      this.#add({ input, output: 0, cacheRead, cacheWrite: usage?.cache_creation_input_tokens });
    }
    if (event.type === "message_delta") this.#add({ input: 0, output: event.usage?.output_tokens });
  }

  /** A run begins. What the session used before does not count for it. */
  async begin(): Promise<void> {
    const total = await this.#total();
    if (!total) return;
    this.#reported = total;
    this.#unreported = NOTHING;
  }

  /** Reports what was used since the last report. */
  async report(): Promise<void> {
    const total = await this.#total();
    if (total) this.#correct(total);
    this.#spend();
  }

  /** The same, with the totals that a result has. */
  reportResult({ total_cost_usd, modelUsage }: SDKResultMessage): void {
    this.#correct(totalOf(total_cost_usd, modelUsage));
    this.#spend();
  }

  /** What was used by something that is no run: a summary of the conversation that a person wanted. */
  reportBetweenRuns({ total_cost_usd, modelUsage }: SDKResultMessage): void {
    this.#correct(totalOf(total_cost_usd, modelUsage));
    this.#spend("compaction");
  }

  #add(report: Report): void {
    this.#unreported = addUsage(this.#unreported, reportedUsage(report).usage ?? NOTHING);
  }

  #correct({ cost, ...used }: Usage): void {
    const total = this.#hasTotals && cost !== undefined ? { ...used, cost } : used;
    if (this.#reported) this.#unreported = difference(total, this.#reported);
    else this.#reported = difference(total, this.#unreported);
  }

  #spend(activity: "nested" | "compaction" = "nested"): void {
    const usage = this.#unreported;
    this.#unreported = NOTHING;
    if (Object.values(usage).every((amount) => amount === 0)) return;
    if (this.#reported) this.#reported = addUsage(this.#reported, usage);
    const cost = this.#hasTotals ? undefined : this.#price?.(usage, this.#model);
    const priced = cost === undefined ? usage : { ...usage, cost };
    this.#run.spend(activity, priced, { model: this.#model });
  }

  // Asked for only where a limit needs it: the events do not say what sub-agents use, nor what anything costs.
  async #total(): Promise<Usage | undefined> {
    if (!this.#run.view.standings.some(({ identity }) => mayMeasureUsage(identity))) return undefined;
    const total = await this.#readTotal();
    if (!total) this.#hasTotals = false;
    return total;
  }
}

/** What the session of a query has used by now, if the program says. */
export async function totalUsage(query: Query): Promise<Usage | undefined> {
  try {
    const { session } = await query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({
      skipBehaviors: true,
    });
    return totalOf(session.total_cost_usd, session.model_usage);
  } catch {
    return undefined; // As its name says, it may be gone one day.
  }
}

function totalOf(cost: number, models: Record<string, ModelUsage>): Usage {
  return Object.values(models)
    .map(({ inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens }) => {
      const cache = { cacheRead: cacheReadInputTokens, cacheWrite: cacheCreationInputTokens };
      return reportedUsage({ input: inputTokens, output: outputTokens, ...cache }).usage ?? NOTHING;
    })
    .reduce(addUsage, { ...NOTHING, cost: isAmount(cost) ? cost : 0 });
}

/** Never negative: the events may have reported answers that the program has thrown away. */
function difference(usage: Usage, part: Usage): Usage {
  const left: Usage = { ...usage };
  for (const key of Object.keys(left) as (keyof Usage)[])
    left[key] = Math.max(0, (usage[key] ?? 0) - (part[key] ?? 0));
  return left;
}

/** Does the limit measure tokens or cost? A custom limit may. */
function mayMeasureUsage(identity: LimitIdentity): boolean {
  const measure = kindOf(identity)?.measure;
  return measure === undefined || measure === "tokens" || measure === "cost";
}
