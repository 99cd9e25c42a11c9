import { anyFunction, check, text } from "../core/checks.ts";
import { InvalidLimit } from "../core/errors/invalid-limit.ts";
import { type Ask, type Reply, requireReply } from "../core/governor/decision.ts";
import { amountMax, type Max, wholeMax } from "../core/limits/boundary.ts";
import { gate, sharedLimit } from "../core/limits/kinds.ts";
import type { SingleLimit } from "../core/limits/limit.ts";
import { processName, type RunInfo } from "../run/run-info.ts";
import type { BudgetSource, DrawingRun, SharedBudgets } from "../run/shared-budgets.ts";
import type { Amounts } from "./ledger/amounts.ts";
import { type Change, type Changed, type PoolQuestion, sum } from "./ledger/head.ts";
import { type PeriodSpan, periodAt } from "./ledger/period.ts";
import type { Maxima, PoolRecord, Store } from "./ledger/store.ts";
import { patiently } from "./patiently.ts";
import { type CheckedPoolOptions, type PoolOptions, requirePoolOptions } from "./pool-options.ts";
import { joinPools } from "./run-pools.ts";
import { memoryStore } from "./stores/memory.ts";
import { fromUnits, maxFromUnits, maxToUnits } from "./units.ts";

/** Where a pool stands. Cost is in US dollars, time in milliseconds. */
export interface PoolStanding {
  id: string;
  /** The day, week or month, if it has periods. */
  period?: string;
  limits: { limit: string; used: number; max: Max }[];
  /** Why it is frozen, if it is. */
  frozen?: string;
  members: PoolMemberStanding[];
  questions: PoolQuestion[];
}

/** What a member of a pool has used. */
export interface PoolMemberStanding {
  id: string;
  name: string;
  used: Record<string, number>;
  /** Does it still take part? */
  isPresent: boolean;
}

/** One limit of a pool: what it measures, and the limit that its members' governors look at. */
export interface PooledLimit {
  measure: string;
  limit: SingleLimit;
}

/** Who asks: a run, or anybody with an id and a name. */
type Asker = Pick<RunInfo, "member"> | AskerByName;

type AskerByName = Pick<PoolQuestion, "id" | "pid" | "set"> & { name?: string };

const sharedMemory = memoryStore();

const requireSignal = check<AbortSignal>(
  (value) =>
    typeof Object(value).aborted === "boolean" && typeof Object(value).addEventListener === "function",
  "an AbortSignal",
);

/**
 * A budget that several runs draw from: sub-agents, processes, machines, a whole day. Made by `createPool`, and given to
 * adapters beside their own limits.
 */
export class Pool implements BudgetSource {
  readonly id: string;
  /** @internal */
  readonly options: CheckedPoolOptions;
  /** @internal */
  readonly store: Store;
  /** @internal */
  readonly limits: readonly PooledLimit[];
  /** Closed while it is frozen, and while its store cannot be reached. @internal */
  readonly gates: { readonly freeze: SingleLimit; readonly store: SingleLimit };
  /** Who says how much it admits: its members, or the one that owns it. @internal */
  readonly isOwnedByAnother: boolean;

  /** @internal */
  constructor(options: CheckedPoolOptions, isOwnedByAnother = false) {
    this.id = options.id;
    this.options = options;
    this.isOwnedByAnother = isOwnedByAnother;
    this.store = options.store ?? sharedMemory;
    const { id, identity, nameOf, unreachable } = options;
    this.limits = options.limits.map(({ measure, kind, tool, options }) => {
      const name = nameOf && text(nameOf(measure), `nameOf("${measure}")`);
      const own = { kind, ...(tool !== undefined && { tool }) };
      return { measure, limit: sharedLimit({ ...own, ...identity }, options, name) };
    });
    this.gates = {
      freeze: gate({ kind: "freeze", pool: id }, { onExhausted: "ask", headless: "stop" }),
      store: gate(
        { kind: "store", pool: id },
        { onExhausted: unreachable === "ask" ? "ask" : "stop", headless: "stop" },
      ),
    };
  }

  get sharedLimits(): SingleLimit[] {
    return [this.gates.store, this.gates.freeze, ...this.limits.map(({ limit }) => limit)];
  }

  join(sources: readonly BudgetSource[], run: DrawingRun): SharedBudgets {
    return joinPools(sources, run);
  }

  /** How much it admits, as stores know it. @internal */
  get maxima(): Maxima {
    return Object.fromEntries(
      this.limits.map(({ measure, limit }) => [measure, maxToUnits(measure, limit.max)]),
    );
  }

  /** Is it the same budget, be it with other limits? @internal */
  isSameAs(other: Pool): boolean {
    const { per, zone } = this.options;
    return (
      this.id === other.id &&
      this.store === other.store &&
      per === other.options.per &&
      zone === other.options.zone &&
      this.isOwnedByAnother === other.isOwnedByAnother
    );
  }

  /** The day, week or month at a moment of the store's time. @internal */
  spanAt(now: number): PeriodSpan | undefined {
    const { per, zone } = this.options;
    return per && periodAt(now, per, zone);
  }

  /** The name of its record in a period. @internal */
  recordIn(span: PeriodSpan | undefined): string {
    return span ? `${this.id}@${span.name}` : this.id;
  }

  /** Where it stands now. */
  async read(): Promise<PoolStanding> {
    const span = await this.#span();
    const record = await patiently(this.store.read(this.recordIn(span)));
    return standingOf(this.id, span, record, this.isOwnedByAnother ? undefined : this.maxima);
  }

  /** Calls back with where it stands, now and whenever that has changed, until the signal is aborted. */
  async watch(changed: (standing: PoolStanding) => void, signal: AbortSignal): Promise<void> {
    anyFunction(changed, "changed");
    requireSignal(signal, "signal");
    let before: string | undefined;
    while (!signal.aborted) {
      const standing = await this.read();
      const now = JSON.stringify(standing);
      if (now !== before && !signal.aborted) changed(standing);
      before = now;
      await pause(this.options.lookEvery, signal);
    }
  }

  /** Admits this much more of a limit, such as `cost`, for everyone, until the period ends or it is reset. */
  async extend(limit: string, by: Max, key?: string): Promise<void> {
    const { measure, limit: extended } = this.#limit(limit);
    (extended.whole ? wholeMax() : amountMax)(by, "by");
    await this.#change({ kind: "extend", measure, by: maxToUnits(measure, by) }, key);
  }

  /** Takes back everything that was admitted in addition. */
  async endExtension(limit: string): Promise<void> {
    await this.#change({ kind: "end-extension", measure: this.#limit(limit).measure });
  }

  /** The same, unless the pool admitted as much before, to whoever drew from it last. @internal */
  async endExtensionOfAnother(limit: string): Promise<void> {
    const { measure } = this.#limit(limit);
    const record = await this.store.read(this.recordIn(await this.#span()));
    if (record && record.head.limits[measure] !== this.maxima[measure]) await this.endExtension(limit);
  }

  /** Holds every member before its next turn. */
  async freeze(why = "It was frozen by hand."): Promise<void> {
    await this.#change({ kind: "freeze", why: text(why, "why") });
  }

  async unfreeze(): Promise<void> {
    await this.#change({ kind: "unfreeze" });
  }

  /** Nothing is used any more, and nothing is allowed in addition. What members hold, they go on holding. */
  async reset(): Promise<void> {
    await this.#change({ kind: "reset" });
  }

  /** Marks that something was done for everyone. `false`: it was before, in this period. @internal */
  async mark(mark: string): Promise<boolean> {
    return (await this.#change({ kind: "mark", mark })).made;
  }

  /** The owner says what the pool admits. @internal */
  async admit(limits: Maxima): Promise<void> {
    const maxima = Object.entries(limits).map(([measure, max]) => [measure, maxToUnits(measure, max)]);
    await this.#change({ kind: "limits", limits: Object.fromEntries(maxima) });
  }

  /** Replies to a question. `false`: somebody else has, or it is no longer asked. */
  async answer(question: string, reply: Reply): Promise<boolean> {
    const { made } = await this.#change({ kind: "answer", question, reply: requireReply(reply, false) });
    return made;
  }

  /**
   * Asks whoever watches the pool, for example by `npx turn-limit pools`. To be given to an adapter: the first reply
   * counts; no reply in time is a no.
   *
   * @example
   * limitToolLoop({ turns: 25, pool, ask: pool.ask });
   */
  readonly ask = async (
    { limit, identity, used, max, why }: Ask,
    signal: AbortSignal,
    run?: Asker,
  ): Promise<Reply | undefined> => {
    const id = crypto.randomUUID();
    const asker: AskerByName | undefined = run && "member" in run ? run.member : run;
    const { pid, set } = asker ?? {};
    const question = {
      ...{ id, member: asker?.id ?? id, name: asker?.name ?? processName(), limit, identity, used, max },
      ...(why !== undefined && { why }),
      ...(pid !== undefined && { pid }),
      ...(set !== undefined && { set }),
    };
    while (!signal.aborted) {
      const reply = await this.#askIn(this.recordIn(await this.#span()), question, signal);
      if (reply !== MOVED) return reply;
    }
    return undefined;
  };

  // Asks in the record of one period. Whoever watches looks at the next one, once that has begun.
  async #askIn(
    pool: string,
    question: Omit<PoolQuestion, "asked" | "reply" | "until">,
    signal: AbortSignal,
  ): Promise<Reply | undefined | typeof MOVED> {
    const { id } = question;
    const { askFor, lookEvery } = this.options;
    const within = askFor === "forever" ? {} : { within: askFor };
    await patiently(this.store.change(pool, keyed({ kind: "ask", question, ...within })));
    const end = askFor === "forever" ? Infinity : performance.now() + askFor;
    try {
      while (!signal.aborted) {
        await pause(lookEvery, signal);
        const record = await patiently(this.store.read(pool)).catch((): typeof UNKNOWN => UNKNOWN);
        // The reply may be there all the same, and be read the next time.
        if (record === UNKNOWN && performance.now() < end) continue;
        if (record === UNKNOWN) return undefined;
        const asked = record?.head.questions[id];
        if (!record || !asked || asked.reply !== undefined) return asked?.reply;
        if (asked.until !== undefined && record.now >= asked.until) return undefined;
        if (this.recordIn(this.spanAt(record.now)) !== pool) return MOVED;
      }
      return undefined;
    } finally {
      await patiently(this.store.change(pool, keyed({ kind: "withdraw", question: id }))).catch(
        () => undefined,
      );
    }
  }

  async #change(change: DistributedOmit<Change, "key">, key?: string): Promise<Changed> {
    return patiently(this.store.change(this.recordIn(await this.#span()), keyed(change, key)));
  }

  async #span(): Promise<PeriodSpan | undefined> {
    return this.options.per && this.spanAt(await patiently(this.store.now()));
  }

  #limit(name: string): PooledLimit {
    const found = this.limits.find(({ measure, limit }) => measure === name || limit.name === name);
    if (found) return found;
    const known = this.limits.map(({ measure }) => `"${measure}"`).join(", ");
    throw new InvalidLimit(
      "limit",
      name,
      known ? `one of this pool's: ${known}` : "nothing: this pool has no limits",
    );
  }
}

/** The store cannot be reached. */
const UNKNOWN: unique symbol = Symbol("unknown");

/** The period is over in which a question was asked. */
const MOVED: unique symbol = Symbol("moved");

function keyed(change: DistributedOmit<Change, "key">, key: string = crypto.randomUUID()): Change {
  return { ...change, key } as Change;
}

type DistributedOmit<T, Key extends PropertyKey> = T extends unknown ? Omit<T, Key> : never;

/**
 * Makes a pool, or joins it: pools with the same id in the same store are the same.
 *
 * @example
 * const pool = createPool({ id: "research", cost: 20, per: "day", store: sqliteStore("budgets.sqlite") });
 * await runAgent(limitToolLoop({ turns: 25, pool }));
 */
export function createPool(options: PoolOptions): Pool {
  return new Pool(requirePoolOptions(options));
}

/** A pool of which another process says how much it admits. */
export function joinPool(options: PoolOptions): Pool {
  return new Pool(requirePoolOptions(options), true);
}

/** Where a pool stands by its record. `limits`: how much it admits, where its owner does not say. */
export function standingOf(
  id: string,
  span: PeriodSpan | undefined,
  record: PoolRecord | undefined,
  limits = record?.head.limits ?? {},
): PoolStanding {
  const { head, settled = {}, members = [], now = 0 } = record ?? {};
  return {
    id,
    ...(span && { period: span.name }),
    limits: Object.entries(limits).map(([measure, max]) => ({
      limit: measure,
      used: fromUnits(measure, settled[measure] ?? 0),
      max: maxFromUnits(measure, sum(max, head?.extra[measure])),
    })),
    ...(head?.frozen && { frozen: head.frozen.why }),
    members: members.map(({ id, name, used, isPresent }) => ({ id, name, used: asKnown(used), isPresent })),
    questions: Object.values(head?.questions ?? {}).filter(
      ({ reply, until }) => reply === undefined && (until === undefined || now < until),
    ),
  };
}

function asKnown(amounts: Amounts): Record<string, number> {
  return Object.fromEntries(
    Object.entries(amounts).map(([measure, units]) => [measure, fromUnits(measure, units)]),
  );
}

/** Waits, or less if the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });
}
