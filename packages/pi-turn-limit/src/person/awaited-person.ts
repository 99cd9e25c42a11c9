/** Knows whether the run waits for the person for another reason than a limit. That time does not count. */
export class AwaitedPerson {
  #announced = false;
  #dialogIsOpen = false;
  #atOurScreen = 0;
  #atOurQuestion = 0;

  get isAwaited(): boolean {
    return this.#announced || this.#dialogIsOpen;
  }

  /** Does the person look at a screen of ours? */
  get isAtOurScreen(): boolean {
    return this.#atOurScreen > 0;
  }

  /** Is the person asked about a limit? They may do something else first. */
  get isAtOurQuestion(): boolean {
    return this.#atOurQuestion > 0;
  }

  /** Another extension says that it waits, or no longer does. */
  announced(waiting: unknown): void {
    this.#announced = waiting === true;
  }

  /** An extension has opened a dialog. Our own screens do not count: the agent does not wait for them. */
  dialogOpened(): void {
    if (this.#atOurScreen > 0) return;
    this.#dialogIsOpen = true;
  }

  dialogClosed(): void {
    this.#dialogIsOpen = false;
  }

  /** The person looks at one of our screens while the agent works. */
  async looksAt(screen: () => Promise<void>): Promise<void> {
    this.#atOurScreen += 1;
    try {
      await screen();
    } finally {
      this.#atOurScreen -= 1;
    }
  }

  /** The person is asked about a limit. */
  async isAsked<Reply>(question: () => Promise<Reply>): Promise<Reply> {
    this.#atOurQuestion += 1;
    try {
      return await question();
    } finally {
      this.#atOurQuestion -= 1;
    }
  }

  /** A new run waits for nothing yet. Not every dialog reports that it has closed. */
  newRun(): void {
    this.#announced = false;
    this.#dialogIsOpen = false;
  }
}
