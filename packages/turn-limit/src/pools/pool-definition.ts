import { text } from "../core/checks.ts";
import { InvalidLimit } from "../core/errors/invalid-limit.ts";
import { gate, sharedLimit } from "../core/governor/shared-budget.ts";
import { amountMax, labelOf, type Max, wholeMax } from "../core/limits/boundary.ts";
import { isWhole, type SingleLimit } from "../core/limits/limit.ts";
import { of } from "./ledger/amounts.ts";
import { ownZone, type PeriodSpan, periodAt } from "./ledger/period.ts";
import { type Change, type Changed, isHeadChange } from "./ledger/pool-changes.ts";
import type { PoolState } from "./ledger/pool-state.ts";
import { isOfPlan, type WindowStanding, windowStanding } from "./ledger/readings.ts";
import { headName, partsOf } from "./ledger/record-name.ts";
import type { Look, Maxima, Store, Totals } from "./ledger/store.ts";
import { disagreement, type Terms } from "./ledger/terms.ts";
import { otherTerms } from "./other-terms.ts";
import { type CheckedPoolOptions, type PoolOptions, requirePoolOptions } from "./pool-options.ts";
import { memoryStore } from "./stores/memory.ts";
import { type PoolStore, withTimeout } from "./stores/with-timeout.ts";
import { isCounted, maxToUnits } from "./units.ts";

/** One limit of a pool: what stores call it, and the limit that its members' governors look at. */
export interface PooledLimit {
  readonly measure: string;
  readonly limit: SingleLimit;
}

/** Who says how much a pool admits: the pool, by what is recorded with it; each member for itself; or another, its owner. */
export type Authority = "pool" | "member" | "owner";

/** A change without its key. */
export type KeylessChange = DistributedOmit<Change, "key">;

type DistributedOmit<T, Key extends PropertyKey> = T extends unknown ? Omit<T, Key> : never;

const sharedMemory = memoryStore();

/** What a pool is made from, and where its record is: what a `Pool` and the runs that draw from it have in common. */
export class PoolDefinition {
  readonly id: string;
  readonly options: CheckedPoolOptions;
  readonly limits: readonly PooledLimit[];
  /** Closed while it is frozen, and while its store cannot be reached. */
  readonly gates: { readonly freeze: SingleLimit; readonly store: SingleLimit };
  readonly #authority: Authority;
  /** Where it is kept. Requests fail if the store does not answer in time. */
  readonly store: PoolStore;
  readonly #givenStore: Store;

  constructor(given: PoolOptions, authority: Authority = "pool") {
    const options = requirePoolOptions(given);
    const { id, identity, nameOf, unreachable, store = sharedMemory } = options;
    this.id = id;
    this.options = options;
    this.#authority = authority;
    this.#givenStore = store;
    this.store = withTimeout(store);
    this.limits = options.limits.map(({ identity: own, options }) => {
      const measure = labelOf(own);
      const name = nameOf && text(nameOf(measure), `nameOf("${measure}")`);
      // A window is no period of the pool.
      const { per = identity.per } = own;
      const whose = { ...own, ...identity, ...(per !== undefined && { per }) };
      return { measure, limit: sharedLimit(whose, options, name) };
    });
    this.gates = {
      freeze: gate({ kind: "freeze", pool: id }, { onExhausted: "ask", headless: "stop" }),
      store: gate(
        { kind: "store", pool: id },
        { onExhausted: unreachable === "ask" ? "ask" : "stop", headless: "stop" },
      ),
    };
  }

  /** Is it another who says how much it admits? */
  get isOwnedByAnother(): boolean {
    return this.#authority === "owner";
  }

  /** The name of what holds in all its periods. */
  get head(): string {
    return headName(this.options);
  }

  /** What this member says of what belongs to the pool. */
  get terms(): Terms {
    const { per, zone, keepFor } = this.options;
    const limits = this.namesAllLimits && this.ownMaxima;
    return {
      ...(limits && { limits }),
      ...(per && zone !== undefined && { zone }),
      ...(keepFor !== undefined && { keepFor }),
    };
  }

  /** Must it name all limits of the pool to draw from it? */
  get namesAllLimits(): boolean {
    return this.#authority === "pool";
  }

  /** What is recorded of it where nobody has said anything. */
  get otherwise(): Terms {
    if (this.isOwnedByAnother) return {};
    return this.options.per ? { zone: ownZone() } : { keepFor: "forever" };
  }

  /** The maxima that are this member's own, to be shown to others. */
  get published(): Maxima | undefined {
    return this.#authority === "member" ? this.ownMaxima : undefined;
  }

  /** Throws `InvalidLimit` if what is recorded with the pool is not what this member says. */
  requireAgreement(recorded: Terms): void {
    const found = disagreement(recorded, this.terms);
    if (found) throw otherTerms(this.id, found);
  }

  /** The same for a member that draws from the pool: a limit that it leaves out would not hold it. */
  requireAgreementOfMember(recorded: Terms): void {
    const found = disagreement(recorded, this.terms, this.namesAllLimits);
    if (found) throw otherTerms(this.id, found);
  }

  /** All limits that hold its members. */
  get sharedLimits(): SingleLimit[] {
    return [this.gates.store, this.gates.freeze, ...this.limits.map(({ limit }) => limit)];
  }

  /**
   * The limits of what a member measures, and settles afterwards. Of a pool that another owns, the time is the owner's: its
   * members work at the same time.
   */
  get measured(): PooledLimit[] {
    return this.limits.filter(
      ({ measure }) => !isCounted(measure) && !isOfPlan(measure) && !this.isOwners(measure),
    );
  }

  /** Is it the owner who settles this measure? */
  isOwners(measure: string): boolean {
    return this.isOwnedByAnother && measure === "time";
  }

  /** How much it admits by its own options, as stores know it. `undefined`: its owner says that. */
  get ownMaxima(): Maxima | undefined {
    if (this.isOwnedByAnother) return undefined;
    return Object.fromEntries(
      this.limits.map(({ measure, limit }) => [measure, maxToUnits(measure, limit.max)]),
    );
  }

  /** How much it admits. Throws if its owner does not say it: a pool that lost its record must not be one without limits. */
  maxima({ limits }: Pick<PoolState, "limits">): Maxima {
    const own = this.ownMaxima;
    if (own) return own;
    if (this.limits.every(({ measure }) => Object.hasOwn(limits, measure))) return limits;
    throw new Error("The limits of the pool are missing from its record.");
  }

  /** Is it the same budget, be it with other limits? */
  isSameAs(other: PoolDefinition): boolean {
    const { per, zone } = this.options;
    return (
      this.id === other.id &&
      this.#givenStore === other.#givenStore &&
      per === other.options.per &&
      zone === other.options.zone &&
      this.#authority === other.#authority
    );
  }

  limitNamed(name: string): PooledLimit | undefined {
    return this.limits.find(({ limit }) => limit.name === name);
  }

  /** Its limit of this name, or of what is measured. Throws `InvalidLimit` if there is none. */
  requireLimit(name: string): PooledLimit {
    const found = this.limits.find(({ measure, limit }) => measure === name || limit.name === name);
    if (found) return found;
    const known = this.limits.map(({ measure }) => `"${measure}"`).join(", ");
    throw new InvalidLimit(
      "limit",
      name,
      known ? `one of this pool's: ${known}` : "nothing: this pool has no limits",
    );
  }

  /** The change that admits this much more of a limit. Throws `InvalidLimit`. */
  extension(name: string, by: Max): KeylessChange & { kind: "extend" } {
    const { measure, limit } = this.requireLimit(name);
    (isWhole(limit) ? wholeMax() : amountMax)(by, "by");
    return { kind: "extend", measure, by: maxToUnits(measure, by) };
  }

  /** What a yes comes to: this much more of a limit, beyond what is used of it. Throws `InvalidLimit`. */
  allowance(name: string, by: Max): KeylessChange & { kind: "extend" } {
    const change = this.extension(name, by);
    const max = of(this.ownMaxima, change.measure);
    return { ...change, beyondUsed: true, ...(max !== undefined && { max }) };
  }

  /** The day, week or month at a moment of the store's time. `recorded`: what is recorded with the pool. */
  spanAt(now: number, recorded: Pick<Terms, "zone">): PeriodSpan | undefined {
    const { per, zone = recorded.zone ?? ownZone() } = this.options;
    return per && periodAt(now, per, zone);
  }

  /** The day, week or month that it is now. */
  async currentSpan(store = this.store): Promise<PeriodSpan | undefined> {
    if (!this.options.per) return undefined;
    const { now, terms } = await store.look(this.head);
    this.requireAgreement(terms);
    return this.spanAt(now, terms);
  }

  /** Forgets all its records, and what holds in all of them. `false`: there were none. */
  async delete(): Promise<boolean> {
    const [store, { id }, { per }] = [this.#givenStore, this, this.options];
    const isOwn = (record: string) => headName(partsOf(record)) === headName({ id, per });
    const names = new Set([...(await store.list()).filter(isOwn), headName({ id, per })]);
    let isDeleted = false;
    for (const name of names) isDeleted = (await store.delete(name)) || isDeleted;
    return isDeleted;
  }

  /** The name of its record in a period. */
  recordIn(span: PeriodSpan | undefined): string {
    return span ? `${this.id}@${span.name}` : this.id;
  }

  /** Where the record of this period stands, without its members. */
  async look(store = this.store): Promise<Totals | undefined> {
    return (await this.lookNow(store)).totals;
  }

  /** The same with the store's time. */
  async lookNow(store = this.store): Promise<Look> {
    return store.look(this.recordIn(await this.currentSpan(store)));
  }

  /** Where the limit of a window of a subscription stands, by what was read of it. */
  windowAt(measure: string, state: PoolState, now: number): WindowStanding {
    const { subscription } = this.options;
    const max = of(this.maxima(state), measure) ?? "unlimited";
    return windowStanding(state, { measure, max, subscription }, now);
  }

  /** Changes what holds in all its periods, or the record of this one. `key`: one that is made again under the same key is made once. */
  async change(change: KeylessChange, key?: string, store = this.store): Promise<Changed> {
    const keyedChange = keyed(change, key);
    if (isHeadChange(keyedChange)) return store.change(this.head, keyedChange);
    return store.change(this.recordIn(await this.currentSpan(store)), keyedChange);
  }
}

export function keyed(change: KeylessChange, key: string = crypto.randomUUID()): Change {
  return { ...change, key } as Change;
}
