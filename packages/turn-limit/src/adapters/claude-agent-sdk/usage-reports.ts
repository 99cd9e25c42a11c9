import type { Options, SDKPartialAssistantMessage, SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import type { LimitIdentity } from "../../core/limits/boundary.ts";
import { kindOf } from "../../core/limits/kinds.ts";
import type { Usage } from "../../core/meter/usage.ts";
import type { Driver } from "../../pools/old-driver/driver.ts";
import type { AdapterOptions } from "../../run/options.ts";
import { SessionUsage, totalUsage } from "./session-usage.ts";

/** Reports to the driver what each answer took. */
export class UsageReports {
  readonly #driver: Driver;
  readonly #total: () => Promise<Usage | undefined>;
  readonly #session: SessionUsage;

  /** `total`: what the session has taken by now, if the program says. */
  constructor(
    driver: Driver,
    { resume, continue: continued }: Options,
    total: () => Promise<Usage | undefined>,
    price: AdapterOptions["price"],
  ) {
    this.#driver = driver;
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

  /** A turn was answered. */
  async answered(): Promise<void> {
    const total = this.#needsTotals ? await this.#askForTotal() : undefined;
    if (total) this.#session.seeTotal(total);
    this.#driver.turnEnded(this.#session.take());
  }

  /** The run is over. */
  over({ total_cost_usd, modelUsage }: SDKResultMessage): void {
    this.#session.seeTotal(totalUsage(total_cost_usd, modelUsage));
    this.#driver.turnEnded(this.#session.take());
  }

  async #askForTotal(): Promise<Usage | undefined> {
    const total = await this.#total();
    if (!total) this.#session.seeNoTotal();
    return total;
  }

  // The events report the usage of the main loop's answers, but not of sub-agents, and no cost.
  get #needsTotals(): boolean {
    return this.#driver.governor.view.standings.some(({ identity }) => mayMeasureUsage(identity));
  }
}

/** Does the limit measure tokens or cost? A custom limit may. */
function mayMeasureUsage(identity: LimitIdentity): boolean {
  const measure = kindOf(identity)?.measure;
  return measure === undefined || measure === "tokens" || measure === "cost";
}
