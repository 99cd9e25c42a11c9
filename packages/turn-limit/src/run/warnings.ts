const onConsole = new Set<string>();

/** What a person should know, each message once in a run. */
export class Warnings {
  readonly #shown = new Set<string>();
  readonly #onWarning: (message: string) => void;

  constructor(onWarning: (message: string) => void = warnOnce) {
    this.#onWarning = onWarning;
  }

  warn(message: string): void {
    if (this.#shown.has(message)) return;
    this.#shown.add(message);
    this.#onWarning(message);
  }

  /** Another run begins. */
  clear(): void {
    this.#shown.clear();
  }
}

/** Writes a warning to the console, if that was not done before. */
export function warnOnce(message: string): void {
  if (onConsole.has(message)) return;
  onConsole.add(message);
  console.warn(`turn-limit: ${message}`);
}
