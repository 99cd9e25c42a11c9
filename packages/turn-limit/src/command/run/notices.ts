import { oneLine } from "../../core/text/text-width.ts";

const BELL = "\x07";

/** Where messages appear. */
interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Messages to the person, beside the output of the agent. */
export class Notices {
  readonly #screen: Screen;
  readonly #shown = new Set<string>();
  // Set while the agent has the screen to itself.
  #held: string[] | undefined;

  constructor(screen: Screen, agentHasScreen = false) {
    this.#screen = screen;
    if (agentHasScreen) this.#held = [];
  }

  /** Does the agent draw on the screen where they would appear? */
  get areHeld(): boolean {
    return this.#held !== undefined;
  }

  /** Writes a message once, when the screen is free. */
  tell(message: string): void {
    if (this.#shown.has(message)) return;
    this.#shown.add(message);
    if (this.#held) this.#held.push(message);
    else this.announce(message);
  }

  /** Writes a message each time, when the screen is free. */
  note(message: string): void {
    if (this.#held) this.#held.push(message);
    else this.announce(message);
  }

  /** Writes a message at once, each time. Not for a screen that the agent draws on. */
  announce(message: string): void {
    this.#screen.write(`turn-limit: ${oneLine(message)}\n`);
  }

  /** Calls the person to the terminal. */
  ring(): void {
    if (this.#screen.isTTY) this.#screen.write(BELL);
  }

  /** The screen is free again. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const message of held) this.announce(message);
  }
}
