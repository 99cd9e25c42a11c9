import { type Amounts, add, amounts } from "../ledger/amounts.ts";
import type { PeriodSpan } from "../ledger/period.ts";
import type { Take, Taken } from "../ledger/store.ts";
import type { PoolDefinition } from "../pool-definition.ts";
import { patiently } from "./patiently.ts";

/** What a member asks of its pool. */
export type Request = Pick<Take, "settle" | "want" | "hold" | "force" | "thawed" | "leaves">;

const MONTH = 31 * 86_400_000;
/** The last moment that there is a date for. */
const LATEST = 8_640_000_000_000_000;

/** A run in its pool: numbers its requests, and moves on to the next day, week or month. */
export class PoolRequests {
  pool: PoolDefinition;
  readonly #who: { id: string; name: string };
  // A member of the same name may have been here before: its last request is not one of these.
  #requests = Math.floor(Math.random() * 2 ** 40);
  #span: PeriodSpan | undefined;
  #said: string | undefined;
  /** The store's time when it last answered, and the machine's. */
  #heard: { now: number; at: number } | undefined;
  /** A request that failed. The store may have done it all the same. */
  #unsure: Take | undefined;
  /** What the store has done of requests that failed as a whole. */
  #done: Amounts = {};

  constructor(pool: PoolDefinition, who: { id: string; name: string }) {
    this.pool = pool;
    this.#who = who;
  }

  /** The name of the record that it takes from. */
  get record(): string {
    return this.pool.recordIn(this.#span);
  }

  /** Settles and reserves. What was used before midnight counts for the day before. */
  async take(request: Request): Promise<Taken> {
    const { per, keepFor } = this.pool.options;
    if (!this.#heard && (per || keepFor !== undefined)) {
      const now = await patiently(this.pool.store.now());
      this.#heard = { now, at: Date.now() };
      this.#span = this.pool.spanAt(now);
    }
    await this.#makeSure();
    const settle = amounts(request.settle);
    add(settle, this.#done, -1);
    let taken = await this.#ask({ ...request, settle });
    if (taken.kind === "stale") {
      await this.#ask({ settle, leaves: true });
      this.#done = request.settle;
      this.#span = this.pool.spanAt(taken.now);
      taken = await this.#ask({ ...request, settle: {} });
    }
    this.#done = {};
    return taken;
  }

  // Says how much the pool admits, for whoever looks at it or joins it. Nothing depends on it but that.
  async #sayLimits(pool: string, { head }: Taken): Promise<void> {
    if (this.pool.isOwnedByAnother) return;
    const limits = this.pool.ownMaxima ?? {};
    const said = JSON.stringify([pool, limits]);
    if (said === this.#said) return;
    this.#said = said;
    if (JSON.stringify(head.limits) === JSON.stringify(limits)) return;
    const change = { key: crypto.randomUUID(), kind: "limits", limits } as const;
    await patiently(this.pool.store.change(pool, change)).catch(() => undefined);
  }

  // Makes the request that failed once more: the same number is not counted twice. Whoever made it takes nothing of it for
  // done, so what it settled is not settled again, and what it was granted is given back.
  async #makeSure(): Promise<void> {
    const unsure = this.#unsure;
    if (!unsure) return;
    const { kind } = await this.#send(unsure);
    if (kind === "stale") return;
    this.#done = together(this.#done, unsure.settle);
    if (kind === "granted" && unsure.want) this.#done = together(this.#done, unsure.want);
  }

  #ask(request: Request): Promise<Taken> {
    this.#requests += 1;
    const { lease } = this.pool.options;
    const span = this.#span;
    const expires = this.#expires;
    return this.#send({
      ...request,
      pool: this.record,
      member: this.#who,
      turn: this.#requests,
      lease,
      ...(!this.pool.isOwnedByAnother && { limits: this.pool.ownMaxima ?? {} }),
      ...(span && { period: { from: span.from, to: span.to } }),
      ...(expires !== undefined && { expires }),
    });
  }

  // A record that is in use must not be forgotten, however long ago this member used it, and while others have a lease.
  get #expires(): number | undefined {
    const { keepFor, lease } = this.pool.options;
    if (this.#span) return this.#span.to + MONTH;
    if (keepFor === undefined || !this.#heard) return undefined;
    const { now, at } = this.#heard;
    return Math.min(LATEST, Math.ceil(now + Math.max(0, Date.now() - at) + Math.max(keepFor, lease)));
  }

  async #send(take: Take): Promise<Taken> {
    this.#unsure = take;
    const taken = await patiently(this.pool.store.take(take));
    this.#unsure = undefined;
    this.#heard = { now: taken.now, at: Date.now() };
    await this.#sayLimits(take.pool, taken);
    return taken;
  }
}

/** The sum of what a member wants and what it has, as amounts. */
export function together(one: Amounts, other: Amounts): Amounts {
  const all = { ...one };
  for (const [measure, amount] of Object.entries(other)) all[measure] = (all[measure] ?? 0) + amount;
  return all;
}
