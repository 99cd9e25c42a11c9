const MOST_PROMPTS = 10_000;

/** The prompts of persons that were seen, as far as they are remembered. */
export class PromptsSeen {
  readonly #ids = new Set<string>();

  /** Is this the first request of a prompt, after another prompt? The very first prompt comes after none. */
  startsOver(id: string): boolean {
    const isNew = !this.#ids.delete(id);
    const isAfterAnother = this.#ids.size > 0;
    // Those that are still worked on are remembered longest.
    this.#ids.add(id);
    for (const oldest of this.#ids) {
      if (this.#ids.size <= MOST_PROMPTS) break;
      this.#ids.delete(oldest);
    }
    return isNew && isAfterAnother;
  }
}
