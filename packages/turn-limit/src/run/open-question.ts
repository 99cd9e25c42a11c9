import type { Ask, CheckProgress, Reply, Verdict } from "../core/governor/decision.ts";
import type { RunInfo } from "./run-info.ts";
import { untilAborted } from "./until-aborted.ts";
import type { Warnings } from "./warnings.ts";

/** A turn is held by it until there is a reply: of a person, or of the host, which knows whether the run got somewhere. */
export type Held = Ask | CheckProgress;

/** What comes of it. */
export type HeldReply = Reply | Verdict;

/** Puts it to whoever can reply. */
export type Put = (
  held: Held,
  signal: AbortSignal,
  run: RunInfo,
) => HeldReply | undefined | Promise<HeldReply | undefined>;

/** A question that a person is being asked, or the host, and how many wait for the reply. */
export class OpenQuestion {
  readonly id: number;
  readonly #withdrawn = new AbortController();
  readonly #reply: Promise<HeldReply | undefined>;
  #hasReply = false;
  #waiters = 0;

  constructor(ask: Held, run: RunInfo, put: Put | undefined, warnings: Warnings) {
    this.id = ask.id;
    this.#reply = this.#put(ask, run, put, warnings);
  }

  /** Will there be no reply any more? */
  get isWithdrawn(): boolean {
    return this.#withdrawn.signal.aborted;
  }

  /** The reply; `undefined` if the question was withdrawn or the signal aborted first. */
  async reply(signal: AbortSignal | undefined): Promise<HeldReply | undefined> {
    const withdrawn = this.#withdrawn.signal;
    const either = signal ? AbortSignal.any([withdrawn, signal]) : withdrawn;
    this.#waiters += 1;
    try {
      return await untilAborted(either, this.#reply, () => undefined);
    } finally {
      this.#waiters -= 1;
      if (this.#waiters === 0 && !this.#hasReply) this.withdraw();
    }
  }

  /** A reply would no longer decide anything. */
  withdraw(): void {
    this.#withdrawn.abort();
  }

  // Must not throw: failing to ask is a no.
  async #put(
    ask: Held,
    run: RunInfo,
    put: Put | undefined,
    warnings: Warnings,
  ): Promise<HeldReply | undefined> {
    try {
      return await put?.({ ...ask }, this.#withdrawn.signal, run);
    } catch (error) {
      // One that is withdrawn may well end with an error, and nobody waits for its reply.
      if (!this.isWithdrawn) warnings.warn(`ask threw: ${error}. It is taken for a no.`);
      return false;
    } finally {
      this.#hasReply = true;
    }
  }
}
