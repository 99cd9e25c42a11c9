import type { Deadline } from "./deadline.ts";
import type { HistoryPort } from "./history-port.ts";
import type { ListingPort } from "./listing-port.ts";
import type { Member } from "./shared-budgets.ts";
import type { SharedPort } from "./shared-port.ts";
import type { TimedEngine } from "./timed-engine.ts";

/** What a host may ask of the budgets that a run draws from together with others. */
export interface SharedOfRun {
  /** Does the run draw from any? */
  readonly isUsed: boolean;
  /** Who the run is in them: an id, and a name for people, which may change. */
  readonly member: Member;
  /** How many members draw from each, by its id, as far as is known. */
  readonly members: ReadonlyMap<string, number>;
  /** Settles what was used. Without it, that is done together with the next reservation. */
  settle(): Promise<void>;
  /** Reads where they stand, while no run is under way. */
  look(): Promise<void>;
  /**
   * Resolves when everything is settled, and what the run took is kept: to be awaited after {@link Run.end}, before the host's call resolves. `undefined`
   * if there is nothing to wait for.
   */
  done(): Promise<void> | undefined;
}

/** When a run settles what it used of shared budgets: when it is told to, and regularly, so that it is not taken for lost. */
export class Settlements implements SharedOfRun {
  readonly #shared: SharedPort;
  readonly #engine: TimedEngine;
  readonly #deadline: Deadline;
  readonly #listed: ListingPort;
  readonly #history: HistoryPort | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isSettling = false;

  constructor(
    shared: SharedPort,
    engine: TimedEngine,
    deadline: Deadline,
    listed: ListingPort,
    history: HistoryPort | undefined,
  ) {
    this.#shared = shared;
    this.#engine = engine;
    this.#deadline = deadline;
    this.#listed = listed;
    this.#history = history;
  }

  get member(): Member {
    return this.#shared.member;
  }

  get isUsed(): boolean {
    return this.#shared.isUsed;
  }

  get members(): ReadonlyMap<string, number> {
    return this.#shared.budgets?.members ?? new Map();
  }

  async settle(): Promise<void> {
    if (this.isUsed) await this.#deadline.settle();
  }

  async look(): Promise<void> {
    const { budgets } = this.#shared;
    await budgets?.inTurn(() => budgets.look());
  }

  done(): Promise<void> | undefined {
    const settled = this.#shared.budgets?.done();
    const others = [this.#listed.done(), this.#history?.done()].filter((one) => one !== undefined);
    return others.length > 0 ? Promise.all([settled, ...others]).then(() => undefined) : settled;
  }

  /** The run is at work. */
  start(): void {
    if (this.#timer) return;
    // A run that nobody knows any more, because it waited for a person who never came, must not be kept by this.
    const known = new WeakRef(this);
    const timer = setInterval(() => {
      const settlements = known.deref();
      if (settlements) settlements.#beat();
      else clearInterval(timer);
    }, this.#shared.budgets?.settleEvery);
    timer.unref?.();
    this.#timer = timer;
  }

  /** The run is over, or rests: everything is settled, and nothing held. */
  leave(isOver = false): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#shared.budgets?.leave(isOver);
  }

  #beat(): void {
    if (this.#engine.facts.waiting && !this.#shared.budgets?.hasTurns) this.leave();
    // The store may be slower than this: turns must not wait for all that was not settled.
    if (this.#isSettling) return;
    this.#isSettling = true;
    void this.#deadline.settle(true).finally(() => {
      this.#isSettling = false;
    });
  }
}
