import type { Ask, Reply } from "../core/governor/decision.ts";
import type { AdapterOptions } from "./options.ts";
import type { RunInfo } from "./run-info.ts";
import { untilAborted } from "./until-aborted.ts";
import type { Warnings } from "./warnings.ts";

/** A question that a person is being asked, and how many wait for the reply. */
export class OpenQuestion {
  readonly id: number;
  readonly #withdrawn = new AbortController();
  readonly #reply: Promise<Reply | undefined>;
  #hasReply = false;
  #waiters = 0;

  constructor(ask: Ask, run: RunInfo, put: AdapterOptions["ask"], warnings: Warnings) {
    this.id = ask.id;
    this.#reply = this.#put(ask, run, put, warnings);
  }

  /** Will there be no reply any more? */
  get isWithdrawn(): boolean {
    return this.#withdrawn.signal.aborted;
  }

  /** The reply; `undefined` if the question was withdrawn or the signal aborted first. */
  async reply(signal: AbortSignal | undefined): Promise<Reply | undefined> {
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
    ask: Ask,
    run: RunInfo,
    put: AdapterOptions["ask"],
    warnings: Warnings,
  ): Promise<Reply | undefined> {
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
