const onConsole = new Set<string>();

/** What a person should know, each message once in a run. */
export class Warnings {
  // Made with the first warning, because most runs have none.
  #shown: Set<string> | undefined;
  readonly #onWarning: (message: string) => void;

  constructor(onWarning: (message: string) => void = warnOnce) {
    this.#onWarning = onWarning;
  }

  /** Who is told. */
  get told(): object {
    return this.#onWarning;
  }

  warn(message: string): void {
    this.#shown ??= new Set();
    if (this.#shown.has(message)) return;
    this.#shown.add(message);
    callSafely(
      () => this.#onWarning(message),
      () => warnOnce(message),
    );
  }

  /** Another run begins. */
  clear(): void {
    this.#shown = undefined;
  }
}

/** Writes a warning to the console, if that was not done before. */
export function warnOnce(message: string): void {
  if (onConsole.has(message)) return;
  onConsole.add(message);
  console.warn(`turn-limit: ${message}`);
}

/** Calls what a user gave: what that throws, or its promise rejects with, goes to `failed`, and no further. */
export function callSafely(call: () => unknown, failed: (error: unknown) => void): void {
  try {
    Promise.resolve(call()).catch(failed);
  } catch (error) {
    failed(error);
  }
}
