import type { Usage as TokenUsage } from "@openai/agents";
import type { Usage } from "../../governor/Usage.ts";

/** Reads what was added to the host's running total since the last time, without going over it again. */
export class UsageMeter {
  readonly #total: TokenUsage;
  #requests = 0;
  #input = 0;
  #output = 0;
  #details = 0;

  constructor(total: TokenUsage) {
    this.#total = total;
    this.read();
  }

  /** What the answers since the last reading took; `undefined` if there was none. */
  read(): Usage | undefined {
    const { requests, inputTokens, outputTokens, inputTokensDetails } = this.#total;
    let cacheRead = 0;
    for (; this.#details < inputTokensDetails.length; this.#details += 1) {
      cacheRead += inputTokensDetails[this.#details]?.cached_tokens ?? 0;
    }
    const answered = requests > this.#requests;
    const usage: Usage = {
      input: inputTokens - this.#input - cacheRead,
      output: outputTokens - this.#output,
      ...(cacheRead > 0 && { cacheRead }),
    };
    this.#requests = requests;
    this.#input = inputTokens;
    this.#output = outputTokens;
    return answered ? usage : undefined;
  }
}
