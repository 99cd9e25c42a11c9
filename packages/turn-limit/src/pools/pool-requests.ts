import { Journal } from "./journal.ts";
import type { Amounts } from "./ledger/amounts.ts";
import type { PeriodSpan } from "./ledger/period.ts";
import type { PoolState } from "./ledger/pool-state.ts";
import type { Take, Taken } from "./ledger/store.ts";
import { keyed, type PoolDefinition } from "./pool-definition.ts";
import { isLostCounts } from "./stores/lost-counts.ts";
import type { PoolStore } from "./stores/with-timeout.ts";
import { untilInTime } from "./until-in-time.ts";

/** What a member asks of its pool, besides settling. */
export type Request = Pick<Take, "want" | "hold" | "force" | "thawed" | "leaves">;

/** Where requests go. `isAlone`: the store cannot be used, and the memory of this process answers in its place. */
type AskedStore = PoolStore & { readonly isAlone?: boolean };

/**
 * The requests of one member to its pool: numbers them, and moves on to the next period. Each says all that was used, so
 * that nothing has to be made again: a request that was given up is never sent afterwards.
 */
export class PoolRequests {
  pool: PoolDefinition;
  readonly journal: Journal;
  readonly #member: { id: string; name: string };
  readonly #store: AskedStore;
  #incarnation = newIncarnation();
  #turn = 0;
  /** The last request that the store answered in this record to this incarnation, and when. */
  #answered = NONE;
  #span: PeriodSpan | undefined;
  /** The pool as it was joined, and what was recorded with it then. */
  #joined: { pool: PoolDefinition; state: PoolState } | undefined;
  #publishedLimits: string | undefined;

  constructor(
    pool: PoolDefinition,
    member: { id: string; name: string },
    journal: Journal = new Journal(),
    store: AskedStore = pool.store,
  ) {
    this.pool = pool;
    this.journal = journal;
    this.#member = member;
    this.#store = store;
  }

  /** The name of the record that it takes from. */
  get record(): string {
    return this.pool.recordIn(this.#span);
  }

  /** When that record is over, in the store's time. `undefined`: never. */
  get until(): number | undefined {
    return this.#span?.to;
  }

  /**
   * Settles, and reserves if something is wanted. `used`: everything that was measured so far. What was used before
   * midnight counts for the day before. Throws if the pool does not have the terms of this member.
   */
  async take(request: Request, used: Amounts = {}): Promise<Taken> {
    await this.#join();
    let taken = await this.#request(request, used);
    if (taken.kind === "stale") {
      await this.#request({ leaves: true }, used);
      this.#span = this.pool.spanAt(taken.now, taken.state);
      this.journal.nextPeriod();
      this.#answered = NONE;
      taken = await this.#request(request, used);
    }
    if (taken.kind === "granted" && request.want) this.journal.use(request.want);
    return taken;
  }

  // Records what belongs to the pool, or finds out that others have recorded something else.
  async #join(): Promise<void> {
    const { pool } = this;
    if (this.#joined?.pool === pool) return;
    const { head, terms, otherwise, namesAllLimits: namesAll } = pool;
    const { state, now } = await this.#store.change(
      head,
      keyed({ kind: "join", terms, otherwise, ...(namesAll && { namesAll }) }),
    );
    pool.requireAgreementOfMember(state);
    if (!this.#joined) this.#span = pool.spanAt(now, state);
    this.#joined = { pool, state };
  }

  // A member that comes after one of the same id, or that was forgotten, starts anew.
  #request(request: Request, used: Amounts): Promise<Taken> {
    return untilInTime(async () => {
      const taken = await this.#send(request, used);
      if (taken.kind !== "late" && taken.kind !== "forgotten") return taken;
      this.#startAnew(taken.incarnation);
      return undefined;
    });
  }

  async #send(request: Request, used: Amounts): Promise<Taken> {
    this.#turn += 1;
    const { turn, now } = this.#answered;
    const { pool } = this;
    const span = this.#span;
    const { keepFor } = this.#joined?.state ?? {};
    const take: Take = {
      ...request,
      pool: this.record,
      member: this.#member,
      incarnation: this.#incarnation,
      turn: this.#turn,
      answered: turn,
      heard: now,
      used: this.journal.used(used),
      lease: pool.options.lease,
      ...(pool.ownMaxima && { limits: pool.ownMaxima }),
      ...(span && { period: { from: span.from, to: span.to } }),
      ...(typeof keepFor === "number" && { keepFor }),
    };
    const taken = await this.#taken(take);
    const { kind } = taken;
    if (kind === "stale" || kind === "late" || kind === "forgotten") return taken;
    if (!this.#store.isAlone) this.#answered = { turn: take.turn, now: taken.now };
    this.journal.done(take, taken);
    await this.#publishLimits(taken);
    if (!take.leaves) this.#requireSameTerms(taken.state);
    return taken;
  }

  // What the store has lost, it is told again: by the next request, which says all that was used.
  async #taken(take: Take): Promise<Taken> {
    try {
      return await this.#store.take(take);
    } catch (error) {
      if (isLostCounts(error)) {
        this.#answered = NONE;
        this.#joined = undefined;
      }
      throw error;
    }
  }

  #startAnew(after: number): void {
    this.#incarnation = Math.max(this.#incarnation, after) + 1;
    this.#answered = NONE;
    this.journal.nextIncarnation();
  }

  // Somebody may have recorded other terms meanwhile.
  #requireSameTerms(state: PoolState): void {
    if (!this.#joined || this.#joined.state === state) return;
    this.pool.requireAgreementOfMember(state);
    this.#joined.state = state;
  }

  // Publishes the maxima that are this member's own, for display and for members that join. A failure is ignored.
  async #publishLimits({ state }: Taken): Promise<void> {
    const { published, head } = this.pool;
    if (!published) return;
    const text = JSON.stringify(published);
    if (text === this.#publishedLimits) return;
    this.#publishedLimits = text;
    if (JSON.stringify(state.limits) === text) return;
    await this.#store.change(head, keyed({ kind: "limits", limits: published })).catch(() => undefined);
  }
}

const NONE = { turn: 0, now: 0 };

let latest = 0;

// Higher than those before, if the clock was not moved back. If it was, the store says so, and it is made higher.
function newIncarnation(): number {
  latest = Math.max(latest + 1, Date.now() * 100 + Math.floor(Math.random() * 100));
  return latest;
}
