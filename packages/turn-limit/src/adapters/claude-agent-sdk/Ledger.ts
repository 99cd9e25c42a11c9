import type { Options, SDKPartialAssistantMessage, SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import type { Usage } from "../../governor/Usage.ts";
import type { AdapterOptions } from "../shared/AdapterOptions.ts";
import type { GovernedRuns } from "../shared/GovernedRuns.ts";
import { AnswerMeter } from "./AnswerMeter.ts";
import { totalOf } from "./totalOf.ts";

/** The limits for which it does not matter what was spent. */
const COUNTED = /^(turns|steps|time|repeats|tools\..*)$/s;

/** Tells the runs what their answers took. */
export class Ledger {
  readonly #runs: GovernedRuns;
  readonly #total: () => Promise<Usage | undefined>;
  readonly #meter: AnswerMeter;

  /** `total`: what the session has taken by now, if the program says. */
  constructor(
    runs: GovernedRuns,
    { resume, continue: continued }: Options,
    total: () => Promise<Usage | undefined>,
    price: AdapterOptions["price"],
  ) {
    this.#runs = runs;
    this.#total = total;
    this.#meter = new AnswerMeter(!resume && !continued, price);
  }

  see(event: SDKPartialAssistantMessage["event"]): void {
    this.#meter.see(event);
  }

  /** A run begins: what the session took before is not its own. */
  async begin(): Promise<void> {
    const total = this.#matters ? await this.#asked() : undefined;
    if (total) this.#meter.beginAt(total);
  }

  /** A turn was answered. */
  async answered(): Promise<void> {
    const total = this.#matters ? await this.#asked() : undefined;
    if (total) this.#meter.seeTotal(total);
    this.#runs.turnEnded(this.#meter.take());
  }

  /** The run is over. */
  over({ total_cost_usd, modelUsage }: SDKResultMessage): void {
    this.#meter.seeTotal(totalOf(total_cost_usd, modelUsage));
    this.#runs.turnEnded(this.#meter.take());
  }

  async #asked(): Promise<Usage | undefined> {
    const total = await this.#total();
    if (!total) this.#meter.seeNoTotal();
    return total;
  }

  // The events tell what the main loop's answers take, but nothing of sub-agents, and no cost.
  get #matters(): boolean {
    return this.#runs.governor.standings.some(({ limit }) => !COUNTED.test(limit));
  }
}
