import type { Driver } from "../../pools/old-driver/driver.ts";

/**
 * The part of a turn from an answer with tool calls to the next turn. The host does not say when it suspends a run that
 * needs a person's approval, but none of the calls is running then. So whenever that is the case, the run waits for a
 * person.
 */
export class ToolPhase {
  readonly #driver: Driver;
  #isOpen = false;
  #running = 0;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  opens(): void {
    this.#isOpen = true;
    this.#tell();
  }

  closes(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#driver.waiting(false);
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
    if (this.#isOpen) this.#driver.waiting(this.#running === 0);
  }
}
