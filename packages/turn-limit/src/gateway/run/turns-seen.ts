import { createHash, randomUUID } from "node:crypto";

/** The newest turn of a conversation: what it asked for, and whether it was let through. */
interface SeenTurn {
  readonly asked: string;
  /** Settles when it is decided. `false`: it was not let through, so it never was a turn. */
  readonly begun: Promise<boolean>;
}

const MOST_CONVERSATIONS = 10_000;

/** Tells a request that is made again from a new one: the same conversation, asked for the same. */
export class TurnsSeen {
  readonly #newest = new Map<string, SeenTurn>();

  /**
   * Is it the newest turn of its conversation once more? A request that came before it and is still being decided is
   * waited for. If it is new, the function says later whether it was let through.
   */
  async see(conversation: string, asked: string): Promise<"again" | ((begun: boolean) => void)> {
    for (let newest = this.#newest.get(conversation); newest?.asked === asked; ) {
      if (await newest.begun) return "again";
      const now = this.#newest.get(conversation);
      if (now === newest) break;
      newest = now;
    }
    let decided!: (begun: boolean) => void;
    const begun = new Promise<boolean>((resolve) => {
      decided = resolve;
    });
    this.#newest.delete(conversation);
    this.#newest.set(conversation, { asked, begun });
    for (const [oldest] of this.#newest) {
      if (this.#newest.size <= MOST_CONVERSATIONS) break;
      this.#newest.delete(oldest);
    }
    return decided;
  }
}

/** A short text for what is asked: the same for the same. What cannot be written as a text is like nothing else. */
export function digestOf(asked: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(asked);
  } catch {
    return randomUUID();
  }
  return createHash("sha256")
    .update(text ?? "")
    .digest("base64");
}
