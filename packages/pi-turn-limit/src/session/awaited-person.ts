/** Knows whether the person is being waited for, in another matter than a limit. That time does not count. */
export class AwaitedPerson {
  readonly #changed: () => void;
  #announced = false;
  #dialogIsOpen = false;
  #atOurScreen = 0;

  /** `changed` is called when somebody begins or ends to wait. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get isAwaited(): boolean {
    return this.#announced || this.#dialogIsOpen;
  }

  /** Another extension says so, or that it does so no longer. */
  announced(waiting: unknown): void {
    this.#announced = waiting === true;
    this.#changed();
  }

  /** An extension has opened a dialog. The agent does not wait for somebody who looks at our screens. */
  dialogOpened(): void {
    if (this.#atOurScreen > 0) return;
    this.#dialogIsOpen = true;
    this.#changed();
  }

  dialogClosed(): void {
    this.#dialogIsOpen = false;
    this.#changed();
  }

  /** The person looks at something of ours, while the agent works. */
  async looksAt(screen: () => Promise<void>): Promise<void> {
    this.#atOurScreen += 1;
    try {
      await screen();
    } finally {
      this.#atOurScreen -= 1;
    }
  }

  /** Another run: what was waited for in the one before it is over. Not every dialog is seen to close. */
  newRun(): void {
    this.#announced = false;
    this.#dialogIsOpen = false;
  }
}
