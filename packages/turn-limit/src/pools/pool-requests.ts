import { Journal } from "./journal.ts";
import type { Amounts } from "./ledger/amounts.ts";
import type { PeriodSpan } from "./ledger/period.ts";
import type { Take, Taken } from "./ledger/store.ts";
import { keyed, type PoolDefinition } from "./pool-definition.ts";
import type { PoolStore } from "./stores/with-timeout.ts";

/** What a member asks of its pool, besides settling. */
export type Request = Pick<Take, "want" | "hold" | "force" | "thawed" | "leaves">;

const MONTH = 31 * 86_400_000;
/** The last moment that there is a date for. */
const LATEST = 8_640_000_000_000_000;

/** The requests of one member to its pool: numbers them, settles each amount once, and moves on to the next period. */
export class PoolRequests {
  pool: PoolDefinition;
  readonly journal: Journal;
  readonly #member: { id: string; name: string };
  readonly #store: PoolStore;
  // A member of the same name may have been here before: its last request is not one of these.
  #requests = Math.floor(Math.random() * 2 ** 40);
  #span: PeriodSpan | undefined;
  #publishedLimits: string | undefined;
  /** The store's time when it last answered, and the machine's. */
  #answered: { now: number; at: number } | undefined;
  /** A request that failed. The store may have done it all the same. */
  #uncertain: Take | undefined;

  constructor(
    pool: PoolDefinition,
    member: { id: string; name: string },
    journal: Journal = new Journal(),
    store: PoolStore = pool.store,
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

  /**
   * Settles, and reserves if something is wanted. `used`: everything that was measured so far. What was used before
   * midnight counts for the day before.
   */
  async take(request: Request, used: Amounts = {}): Promise<Taken> {
    await this.#findPeriod();
    if (this.#uncertain) await this.#send(this.#uncertain);
    let taken = await this.#request(request, used);
    if (taken.kind === "stale") {
      await this.#request({ leaves: true }, used);
      this.#span = this.pool.spanAt(taken.now);
      this.journal.nextPeriod();
      taken = await this.#request(request, used);
    }
    if (taken.kind === "granted" && request.want) this.journal.use(request.want);
    return taken;
  }

  async #findPeriod(): Promise<void> {
    const { per, keepFor } = this.pool.options;
    if (this.#answered || (!per && keepFor === undefined)) return;
    const now = await this.#store.now();
    this.#answered = { now, at: Date.now() };
    this.#span = this.pool.spanAt(now);
  }

  #request(request: Request, used: Amounts): Promise<Taken> {
    this.#requests += 1;
    const { lease } = this.pool.options;
    const span = this.#span;
    const expires = this.#expires;
    const limits = this.pool.ownMaxima;
    return this.#send({
      ...request,
      settle: this.journal.unsettled(used),
      pool: this.record,
      member: this.#member,
      turn: this.#requests,
      lease,
      ...(limits && { limits }),
      ...(span && { period: { from: span.from, to: span.to } }),
      ...(expires !== undefined && { expires }),
    });
  }

  // A request that failed is sent once more before the next one, with its own number: the store does it once. What it was
  // granted then is given back, because nobody learned of it.
  async #send(take: Take): Promise<Taken> {
    this.#uncertain = take;
    const taken = await this.#store.take(take);
    this.#uncertain = undefined;
    this.journal.done(take, taken);
    this.#answered = { now: taken.now, at: Date.now() };
    await this.#publishLimits(take.pool, taken);
    return taken;
  }

  // A record that is in use must not be forgotten, however long ago this member used it, and while others have a lease.
  get #expires(): number | undefined {
    const { keepFor, lease } = this.pool.options;
    if (this.#span) return this.#span.to + MONTH;
    if (keepFor === undefined || !this.#answered) return undefined;
    const { now, at } = this.#answered;
    return Math.min(LATEST, Math.ceil(now + Math.max(0, Date.now() - at) + Math.max(keepFor, lease)));
  }

  // Publishes the maxima, for display and for members that join. A failure is ignored.
  async #publishLimits(pool: string, { state }: Taken): Promise<void> {
    const limits = this.pool.ownMaxima;
    if (!limits) return;
    const published = JSON.stringify([pool, limits]);
    if (published === this.#publishedLimits) return;
    this.#publishedLimits = published;
    if (JSON.stringify(state.limits) === JSON.stringify(limits)) return;
    await this.#store.change(pool, keyed({ kind: "limits", limits })).catch(() => undefined);
  }
}
