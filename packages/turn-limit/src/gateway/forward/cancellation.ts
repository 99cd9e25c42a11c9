/** Who is told of a cancellation. */
export interface WhoWaits {
  cancelled(what: Cancellation): void;
}

/**
 * Says once that something is cancelled. Each open stream has two of these, and an `AbortSignal` takes a kilobyte, so that
 * one is made only for who needs it.
 */
export class Cancellation {
  #isCancelled = false;
  #told: WhoWaits | undefined;
  #controller: AbortController | undefined;

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** The same as a signal, for who waits for something. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isCancelled) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Who is told when it is cancelled, instead of who was told until now. */
  tell(who: WhoWaits | undefined): void {
    this.#told = who;
  }

  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#controller?.abort();
    this.#told?.cancelled(this);
  }
}
