import type { Usage } from "@openai/agents";
import type { TurnEnd } from "../../core/governor/run.ts";
import { reportedUsage } from "../shared/reported-usage.ts";

/** Reads what was added to the host's running total since the last reading. */
export class HostUsage {
  readonly #total: Usage;
  #requests = 0;
  #input = 0;
  #output = 0;
  #details = 0;

  constructor(total: Usage) {
    this.#total = total;
    this.read();
  }

  /** What the answers since the last reading took; `undefined` if there was none. */
  read(): Pick<TurnEnd, "usage"> | undefined {
    const { requests, inputTokens, outputTokens, inputTokensDetails } = this.#total;
    if (requests === this.#requests) return undefined;
    let cacheRead = 0;
    for (; this.#details < inputTokensDetails.length; this.#details += 1) {
      cacheRead += inputTokensDetails[this.#details]?.cached_tokens ?? 0;
    }
    const read = reportedUsage({
      totalInput: inputTokens - this.#input,
      output: outputTokens - this.#output,
      ...(cacheRead > 0 && { cacheRead }),
    });
    this.#requests = requests;
    this.#input = inputTokens;
    this.#output = outputTokens;
    return read;
  }
}
