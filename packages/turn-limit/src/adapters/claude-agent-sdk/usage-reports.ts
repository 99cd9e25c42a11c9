import type { Options, SDKPartialAssistantMessage, SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import type { LimitIdentity } from "../../core/limits/boundary.ts";
import { kindOf } from "../../core/limits/kinds.ts";
import type { Usage } from "../../core/meter/usage.ts";
import type { AdapterOptions } from "../../run/options.ts";
import type { Run } from "../../run/run.ts";
import { SessionUsage, totalUsage } from "./session-usage.ts";

/** Reports to the run what the answers took, of all agents together. */
export class UsageReports {
  readonly #run: Run;
  readonly #total: () => Promise<Usage | undefined>;
  readonly #session: SessionUsage;

  /** `total`: what the session has taken by now, if the program says. */
  constructor(
    run: Run,
    { resume, continue: continued }: Options,
    total: () => Promise<Usage | undefined>,
    price: AdapterOptions["price"],
  ) {
    this.#run = run;
    this.#total = total;
    this.#session = new SessionUsage(!resume && !continued, price);
  }

  see(event: SDKPartialAssistantMessage["event"]): void {
    this.#session.see(event);
  }

  /** A run begins. What the session took before is not counted for it. */
  async begin(): Promise<void> {
    const total = this.#needsTotals ? await this.#askForTotal() : undefined;
    if (total) this.#session.beginAt(total);
  }

  /** There are answers of which nothing was reported. */
  async report(): Promise<void> {
    const total = this.#needsTotals ? await this.#askForTotal() : undefined;
    if (total) this.#session.seeTotal(total);
    this.#spend();
  }

  /** The program says with the result what the session has taken. */
  reportResult({ total_cost_usd, modelUsage }: SDKResultMessage): void {
    this.#session.seeTotal(totalUsage(total_cost_usd, modelUsage));
    this.#spend();
  }

  #spend(): void {
    const usage = this.#session.take();
    if (usage) this.#run.spend("nested", usage);
  }

  async #askForTotal(): Promise<Usage | undefined> {
    const total = await this.#total();
    if (!total) this.#session.seeNoTotal();
    return total;
  }

  // The events report the usage of the main loop's answers, but not of sub-agents, and no cost.
  get #needsTotals(): boolean {
    return this.#run.view.standings.some(({ identity }) => mayMeasureUsage(identity));
  }
}

/** Does the limit measure tokens or cost? A custom limit may. */
function mayMeasureUsage(identity: LimitIdentity): boolean {
  const measure = kindOf(identity)?.measure;
  return measure === undefined || measure === "tokens" || measure === "cost";
}
