import type { GovernedRuns } from "../shared/GovernedRuns.ts";

/**
 * From an answer with tool calls to the next turn. The host suspends a run that needs a person's approval without saying
 * so, but then none of the calls is running: a person is waited for whenever that is so.
 */
export class ToolPhase {
  readonly #runs: GovernedRuns;
  #isOpen = false;
  #running = 0;

  constructor(runs: GovernedRuns) {
    this.#runs = runs;
  }

  opens(): void {
    this.#isOpen = true;
    this.#tell();
  }

  closes(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#runs.waiting = false;
  }

  /** Runs a tool call. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    this.#running += 1;
    this.#tell();
    try {
      return await call();
    } finally {
      this.#running -= 1;
      this.#tell();
    }
  }

  #tell(): void {
    if (this.#isOpen) this.#runs.waiting = this.#running === 0;
  }
}
