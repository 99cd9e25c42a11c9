import { AsyncLocalStorage, createHook } from "node:async_hooks";

/**
 * An act of the person, and whether something follows from it: what was begun meanwhile does, also what that begins in turn,
 * however long it takes. What was at work before, as a timer or a watcher of another extension, does not.
 */
export class Act {
  readonly #causes = new AsyncLocalStorage<object>();
  #latest: object | undefined;
  /** Can it be seen here what follows from an act? */
  #isSeen = false;

  /** The person acts. What follows begins before anything else happens in this process. */
  begins(): void {
    const act = {};
    const follows = () => {
      if (this.#latest !== act) return;
      this.#isSeen = true;
      this.#causes.enterWith(act);
    };
    this.#latest = act;
    this.#causes.enterWith(act);
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
