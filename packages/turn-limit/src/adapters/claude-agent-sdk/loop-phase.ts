import type { Turn } from "../../run/turn.ts";

/**
 * Where the program's loop stands.
 *
 * - `idle`: no run is under way
 * - `working`: the main loop is at work
 * - `answering`: it makes the tools-free turn
 * - `cut-off`: it must end in the middle of a turn, and is being interrupted
 * - `resting`: it has answered. Sub-agents in the background may be at work, and it will answer again
 * - `last turn`: the tools-free turn is due. The program has to end first: the session can be in one only
 * - `closed`: nobody reads the query any more
 *
 * `asksAgain`: the model gave no object where one is wanted, and is asked again.
 */
export type Phase =
  | { kind: "idle" | "cut-off" | "resting" | "closed" }
  | { kind: "working" | "answering"; asksAgain?: true }
  | { kind: "last turn"; turn: Turn; reason: string | undefined };

/** The phase that the program's loop is in. */
export class LoopPhase {
  #now: Phase = { kind: "idle" };

  get now(): Phase {
    return this.#now;
  }

  get isClosed(): boolean {
    return this.#now.kind === "closed";
  }

  /** Is the main loop making turns? */
  get isAtWork(): boolean {
    return this.#now.kind === "working" || this.#now.kind === "answering";
  }

  /** Must whatever the program is about to do end? */
  get mustEnd(): boolean {
    const { kind } = this.#now;
    return kind === "cut-off" || kind === "last turn" || kind === "closed";
  }

  /** Does the program ask again for the object that the model should have given? */
  get asksAgain(): boolean {
    return "asksAgain" in this.#now;
  }

  enter(phase: Phase): void {
    if (!this.isClosed) this.#now = phase;
  }

  /** The main loop makes a request. */
  requested(): void {
    if (!this.mustEnd) this.enter({ kind: this.#now.kind === "answering" ? "answering" : "working" });
  }

  /** The program asks the model for the object again. */
  askAgain(): void {
    const { kind } = this.#now;
    if (kind === "working" || kind === "answering") this.enter({ kind, asksAgain: true });
  }
}
