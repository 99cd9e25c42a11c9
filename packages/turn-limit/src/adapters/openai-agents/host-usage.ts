import type { Usage as HostTotal } from "@openai/agents";
import type { Usage } from "../../core/meter/usage.ts";
import { reportedUsage } from "../shared/reported-usage.ts";

/** Reads what was added to the host's running total since the last reading. */
export class HostUsage {
  readonly #total: HostTotal;
  #requests = 0;
  #input = 0;
  #output = 0;
  #details = 0;

  constructor(total: HostTotal) {
    this.#total = total;
    this.read();
  }

  /** What the answers since the last reading took; `undefined` if there was none. */
  read(): Usage | undefined {
    const { requests, inputTokens, outputTokens, inputTokensDetails } = this.#total;
    if (requests === this.#requests) return undefined;
    let cacheRead = 0;
    for (; this.#details < inputTokensDetails.length; this.#details += 1) {
      cacheRead += inputTokensDetails[this.#details]?.cached_tokens ?? 0;
    }
    const { usage } = reportedUsage({
      totalInput: inputTokens - this.#input,
      output: outputTokens - this.#output,
      ...(cacheRead > 0 && { cacheRead }),
    });
    this.#requests = requests;
    this.#input = inputTokens;
    this.#output = outputTokens;
    return usage;
  }
}
