/** A request that was forwarded and is not over. */
interface InFlight {
  readonly isMainTurn: boolean;
  readonly cut: AbortController;
}

/** The requests of a run that are in flight, to be cut off together. */
export class RequestsInFlight {
  readonly #all = new Set<InFlight>();
  #idle: (() => void)[] = [];

  /** Is a turn of the agent's own loop among them? */
  get hasMainTurn(): boolean {
    for (const { isMainTurn } of this.#all) if (isMainTurn) return true;
    return false;
  }

  /** Adds a request. `ended` is to be called when it is over. */
  begin(isMainTurn: boolean): { cutOff: AbortSignal; ended: () => void } {
    const one = { isMainTurn, cut: new AbortController() };
    this.#all.add(one);
    const ended = () => {
      this.#all.delete(one);
      if (this.#all.size > 0) return;
      for (const idle of this.#idle) idle();
      this.#idle = [];
    };
    return { cutOff: one.cut.signal, ended };
  }

  /** Cuts them all off. */
  cutOff(): void {
    for (const { cut } of this.#all) cut.abort();
  }

  /** Resolves when none is in flight. */
  async settled(): Promise<void> {
    if (this.#all.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }
}
