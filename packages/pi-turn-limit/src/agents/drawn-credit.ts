import type { Usage } from "turn-limit";

/** What agents drew from a budget, in its own measures. */
export interface Drawn {
  readonly tokens: number;
  readonly cost: number;
}

/**
 * Remembers what agents drew from the budget while they worked, so that it is not counted again when the tool call that
 * started them reports it.
 */
export class DrawnCredit {
  #tokens = 0;
  #cost = 0;

  /** What was drawn and not reported yet. */
  get drawn(): Drawn {
    return { tokens: this.#tokens, cost: this.#cost };
  }

  /** This much was drawn, and counted. */
  add({ tokens, cost }: Drawn): void {
    this.#tokens += tokens;
    this.#cost += cost;
  }

  /** What a tool call reports beyond what was counted. `tokens`: how many tokens of the limit that is. */
  beyond(reported: Usage, tokens: number): Usage {
    if (this.#tokens === 0 && this.#cost === 0) return reported;
    const known = { tokens: Math.min(tokens, this.#tokens), cost: Math.min(reported.cost ?? 0, this.#cost) };
    this.#tokens -= known.tokens;
    this.#cost -= known.cost;
    return {
      input: tokens - known.tokens,
      output: 0,
      ...(reported.cost !== undefined && { cost: reported.cost - known.cost }),
    };
  }

  /** No call is under way any more that could report it. */
  clear(): void {
    this.#tokens = 0;
    this.#cost = 0;
  }
}
