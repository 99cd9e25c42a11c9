import { oneLine } from "../../core/text/text-width.ts";

/** Messages to the person, beside the output of the agent. */
export class Notices {
  readonly #write: (text: string) => void;
  readonly #told = new Set<string>();
  // Set while the agent has the screen to itself.
  #held: string[] | undefined;

  constructor(write: (text: string) => void, agentHasScreen: boolean) {
    this.#write = write;
    if (agentHasScreen) this.#held = [];
  }

  /** Does the agent draw on the screen where they would appear? */
  get areHeld(): boolean {
    return this.#held !== undefined;
  }

  /** Writes a message once, when the screen is free. */
  tell(message: string): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    if (this.#held) this.#held.push(lineOf(message));
    else this.#write(lineOf(message));
  }

  /** Writes a message at once, each time. Not for a screen that the agent draws on. */
  announce(message: string): void {
    this.#write(lineOf(message));
  }

  /** The screen is free again. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const line of held) this.#write(line);
  }
}

function lineOf(message: string): string {
  return `turn-limit: ${oneLine(message)}\n`;
}
