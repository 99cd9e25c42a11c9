import { AsyncLocalStorage, createHook } from "node:async_hooks";

/**
 * What the person did last, and whether something follows from it. What begins while it is handled does, and so does what that
 * begins in turn, however long it takes. What was running before, such as a timer or a watcher of another extension, does not.
 */
export class LastAction {
  readonly #causes = new AsyncLocalStorage<object>();
  #latest: object | undefined;
  /** Can it be seen here what follows from an action? */
  #isSeen = false;

  /** The person acts. What follows begins before anything else happens in this process. */
  begins(): void {
    const action = {};
    const follows = () => {
      if (this.#latest !== action) return;
      this.#isSeen = true;
      this.#causes.enterWith(action);
    };
    this.#latest = action;
    this.#causes.enterWith(action);
    // Pi has no event for a command. Its loop waits for what the person sends, and would go on in the name of what it did before.
    const hook = createHook({ init: follows }).enable();
    setImmediate(() => hook.disable());
  }

  /** What follows from it can no longer be told, or need not be. */
  ends(): void {
    this.#latest = undefined;
    this.#causes.disable();
  }

  /** Does what happens now follow from it, as far as can be seen? */
  get isCause(): boolean {
    return this.#latest === undefined || !this.#isSeen || this.#causes.getStore() === this.#latest;
  }
}
