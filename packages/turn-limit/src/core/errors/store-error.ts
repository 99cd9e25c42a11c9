const brand = Symbol.for("turn-limit.StoreError");

/** A store cannot do what it was asked, and has changed nothing. The message says why, and what to do about it. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly [brand] = true;
  /** The store, for example `The SQLite store /home/ada/pools.db`. */
  readonly store: string;

  /**
   * @param store The store, in words that a sentence can begin with.
   * @param what What happened, for example `is read-only`.
   * @param advice What to do about it, as a sentence.
   */
  constructor(store: string, what: string, advice: string, options?: ErrorOptions) {
    super(`${store} ${what}. ${advice}`, options);
    this.store = store;
  }
}

/** Is this a {@link StoreError}, from whichever copy of the package? */
export function isStoreError(error: unknown): error is StoreError {
  return error instanceof Error && brand in error;
}
