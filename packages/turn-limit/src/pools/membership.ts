import { isInvalidLimit } from "../core/errors/invalid-limit.ts";
import { messageOf } from "../core/errors/message-of.ts";
import type { Reply } from "../core/governor/decision.ts";
import { isReached } from "../core/limits/boundary.ts";
import { isWhole } from "../core/limits/limit.ts";
import { type Activity, countedFor } from "../core/measures/measures.ts";
import type { Reading } from "../core/meter/meter.ts";
import type { DrawingRun, WindowUse } from "../run/shared-budgets.ts";
import { Estimate } from "./estimate.ts";
import { Journal } from "./journal.ts";
import { type Amounts, of, sum } from "./ledger/amounts.ts";
import { isOfPlan } from "./ledger/readings.ts";
import type { Taken } from "./ledger/store.ts";
import { PlanWindows } from "./plan-windows.ts";
import type { PoolDefinition } from "./pool-definition.ts";
import { PoolRequests, type Request } from "./pool-requests.ts";
import { FallbackStore } from "./stores/fallback-store.ts";
import { isLostCounts } from "./stores/lost-counts.ts";
import { fromUnits, isCounted, maxFromUnits, usedUnits } from "./units.ts";

/** What is about to begin: a request, or the call of a tool. */
export interface Beginning {
  readonly activity: Activity;
  readonly tool?: string | undefined;
}

/** What a pool granted to a member, and in which of its records that is. */
export interface Granted {
  readonly amounts: Amounts;
  readonly record: string;
  /** How often the record had been reset. */
  readonly resets: number;
}

/** One run's part in one pool: reserves, settles what the run used, and tells the run where the pool stands. */
export class Membership {
  /** How many draw from the pool, as far as is known. */
  members = 0;
  /** Does the run take part, so that it has to leave? */
  takesPart: boolean;
  readonly #run: DrawingRun;
  #pool: PoolDefinition;
  readonly #journal = new Journal();
  readonly #store: FallbackStore;
  readonly #requests: PoolRequests;
  readonly #estimate: Estimate;
  readonly #windows: PlanWindows;
  readonly #from: Reading;
  /** The time that the owner settled last, and when that was first seen. */
  #ownersTime: { units: number; since: Reading } | undefined;
  /** Since when the pool is frozen, and the freeze in spite of which a person lets the run go on. */
  #frozenAt: number | undefined;
  #thawed: number | undefined;
  /** How often its record was reset, as far as is known. */
  #resets = 0;

  constructor(pool: PoolDefinition, run: DrawingRun, takesPart = false) {
    this.takesPart = takesPart;
    this.#pool = pool;
    this.#run = run;
    this.#from = run.reading;
    this.#estimate = new Estimate(run.reading);
    this.#store = new FallbackStore(pool.store, this.#journal, (problem) =>
      run.warn(
        `The store of pool ${pool.id} cannot be used, so its limits hold for this run by itself. ${problem}`,
      ),
    );
    this.#store.isAutomatic = pool.options.unreachable === "local";
    this.#windows = new PlanWindows(run, this.#store);
    this.#requests = new PoolRequests(pool, run.member, this.#journal, this.#store);
  }

  get pool(): PoolDefinition {
    return this.#pool;
  }

  /** Goes on with this pool, if it is the same one with other settings. Is it? */
  becomes(pool: PoolDefinition): boolean {
    if (!this.#pool.isSameAs(pool)) return false;
    this.#pool = this.#requests.pool = pool;
    this.#store.isAutomatic = pool.options.unreachable === "local";
    return true;
  }

  /** Was something used, or is something to be given back, that the pool does not know? */
  get hasUnsettled(): boolean {
    return (
      this.#store.hasUntold || Object.keys(this.#journal.unsettled(this.#used(this.#run.reading))).length > 0
    );
  }

  /** Is it one of the pool's limits, or of its gates? */
  has(limit: string): boolean {
    return this.#pool.sharedLimits.some(({ name }) => name === limit);
  }

  /** Is it a limit of whole numbers? */
  isWhole(limit: string): boolean {
    const pooled = this.#pool.limitNamed(limit);
    return pooled !== undefined && isWhole(pooled.limit);
  }

  /** Does the pool count this? */
  counts(what: Beginning): boolean {
    return Object.keys(this.#countedFor(what)).length > 0;
  }

  /**
   * Reserves, and settles what was used. `turns`: for how many turns at once it has to hold what they are expected to take;
   * left out, it goes on holding what it holds. `undefined`: it is not covered.
   */
  async reserve(what: Beginning, turns?: number): Promise<Granted | undefined> {
    const want = this.#countedFor(what);
    if (!(await this.#take({ want }, turns))) return undefined;
    const granted = { amounts: want, record: this.#requests.record, resets: this.#resets };
    if (!this.#windows.isUsedUp || !countedFor(what.activity).percent) return granted;
    // Stores count, and know of no windows.
    await this.giveBack(granted, turns === undefined ? undefined : turns - 1);
    return undefined;
  }

  /** Counts what is done although it is not covered. */
  async force(what: Beginning, turns: number): Promise<void> {
    await this.#take({ want: this.#countedFor(what), force: true }, turns);
  }

  /** Settles what was used. A run that takes no part does not take part again by that. */
  async settle(turns?: number): Promise<void> {
    await this.#take(this.takesPart ? {} : { leaves: true }, turns);
  }

  /**
   * Settles what was used, and holds nothing any more. `isOver`: the run is, so that the store is told, too, what it used
   * alone. `false`: the store cannot be used, and the run was told so.
   */
  async leave(isOver: boolean, isAgain = false): Promise<boolean> {
    if (isOver) this.#store.comeBack();
    try {
      return await this.#request({ leaves: true });
    } catch (error) {
      const problem = this.#storeFailed(error);
      // A member with other terms than the pool was granted nothing.
      if (isInvalidLimit(error)) return true;
      // The store can be used: it is told all of it at once, for the process may end with the run.
      if (isLostCounts(error) && !isAgain) {
        this.#run.warn(problem);
        return this.leave(isOver, true);
      }
      this.#run.warn(
        `What the run used last is not counted yet. It is sent again for as long as this process runs. ${problem}`,
      );
      return false;
    }
  }

  /** Gives back what was granted and is not used. */
  async giveBack({ amounts, record, resets }: Granted, turns?: number): Promise<void> {
    // A reservation of an earlier period, or from before a reset, is not in this record.
    const isCurrent = record === this.#requests.record && resets === this.#resets;
    if (isCurrent) this.#journal.release(amounts);
    if (turns === undefined && !(isCurrent && Object.keys(amounts).length > 0)) return;
    // A store that cannot be reached learns of it with the next request.
    await this.#request(this.takesPart ? {} : { leaves: true }, turns).catch(() => undefined);
  }

  /** Another member has settled what this run counts as its own between these readings: it must not be settled again. */
  settledByAnother(before: Reading, after: Reading): void {
    const [earlier, used] = [this.#used(before), this.#used(after)];
    const difference = Object.entries(used).map(([measure, units]) => [
      measure,
      units - (earlier[measure] ?? 0),
    ]);
    this.#journal.settledByAnother(Object.fromEntries(difference));
  }

  /** What an answer told of the windows of subscriptions. */
  async read(windows: readonly WindowUse[]): Promise<void> {
    try {
      await this.#windows.read(this.#pool, windows);
    } catch (error) {
      this.#storeFailed(error);
    }
  }

  /** Learns how much an answer takes. `answers`: how many there were since it last did. */
  learn(answers: number): void {
    this.#estimate.learn(this.#pool.measured, this.#run.reading, answers);
  }

  /** A person allows more of a limit, or to go on in spite of a gate. */
  async allow(limit: string, reply: Reply): Promise<void> {
    const { gates, isOwnedByAnother } = this.#pool;
    if (limit === gates.freeze.name) this.#thawed = this.#frozenAt;
    if (limit === gates.store.name) {
      this.#store.fallBack();
      this.#observeGate("store", undefined);
    }
    const pooled = this.#pool.limitNamed(limit);
    if (!pooled || isOwnedByAnother || reply === "wrap-up") return;
    const { measure } = pooled;
    // Of a limit of 0, a yes allows the least there is. A window of a subscription has no other round than the next one.
    const { max } = pooled.limit;
    const round = isOfPlan(measure) ? "unlimited" : max === 0 ? fromUnits(measure, 1) : max;
    const by = typeof reply === "object" ? reply.more : reply === "unlimited" ? reply : round;
    const change = this.#pool.allowance(limit, by);
    await this.#pool.change(
      isOfPlan(measure) ? await this.#windows.extension(this.#pool, change) : change,
      undefined,
      this.#store,
    );
  }

  /** Is there room again for what the run was held for? */
  async hasRoom(limit: string): Promise<boolean> {
    const { gates } = this.#pool;
    const { totals, now } = await this.#pool.lookNow(this.#store);
    if (!totals) return limit !== gates.store.name;
    if (limit === gates.freeze.name) return !totals.state.frozen;
    const pooled = this.#pool.limitNamed(limit);
    if (!pooled) return false;
    const { measure } = pooled;
    if (isOfPlan(measure)) {
      const { used, max } = this.#pool.windowAt(measure, totals.state, now);
      return !isReached(used, max);
    }
    const max = sum(of(this.#pool.maxima(totals.state), measure), of(totals.state.extra, measure));
    return max === "unlimited" || (totals.settled[measure] ?? 0) + (totals.held[measure] ?? 0) < max;
  }

  // A pool whose store cannot be used grants nothing.
  async #take(request: Request, turns?: number): Promise<boolean> {
    try {
      return await this.#request(request, turns);
    } catch (error) {
      this.#storeFailed(error);
      return false;
    }
  }

  #storeFailed(error: unknown): string {
    const why = messageOf(error);
    // These say by themselves which pool it is.
    const isNamed = isInvalidLimit(error) || isLostCounts(error);
    const problem = isNamed ? why : `The store of pool ${this.#pool.id} cannot be used: ${why}`;
    this.#observeGate("store", problem);
    return problem;
  }

  async #request(request: Request, turns?: number): Promise<boolean> {
    if (request.want) {
      this.takesPart = true;
      this.#store.begin();
    }
    if (request.leaves) this.takesPart = false;
    const reading = this.#run.reading;
    const taken = await this.#requests.take(
      {
        ...request,
        ...(turns !== undefined && { hold: request.leaves ? {} : this.#expected(turns) }),
        ...(this.#thawed !== undefined && { thawed: this.#thawed }),
      },
      this.#used(reading),
    );
    this.#observe(taken, reading, request.want !== undefined && !request.force);
    return taken.kind === "granted";
  }

  #expected(turns: number): Amounts {
    const { measured, options } = this.#pool;
    return this.#estimate.expected(measured, turns, options.estimate);
  }

  // One of each thing that it counts for, of what the pool counts one by one.
  #countedFor({ activity, tool }: Beginning): Amounts {
    const counted = this.#pool.limits.filter(
      ({ measure, limit }) =>
        isCounted(measure) &&
        limit.measure !== undefined &&
        countedFor(activity)[limit.measure] &&
        (limit.tool === undefined || limit.tool === tool),
    );
    return Object.fromEntries(counted.map(({ measure }) => [measure, 1]));
  }

  // Everything that the run used since it draws from the pool, of what is measured.
  #used(reading: Reading): Amounts {
    return Object.fromEntries(
      this.#pool.measured.map(({ measure, limit }) => [
        measure,
        usedUnits(measure, limit.usedBetween(this.#from, reading)),
      ]),
    );
  }

  // `decides`: pass on whether it was granted. Otherwise only the totals.
  #observe(
    { settled, held, state, kind, refused, agents, now }: Taken,
    since: Reading,
    decides: boolean,
  ): void {
    const { id, limits } = this.#pool;
    const maxima = this.#pool.maxima(state);
    const { until } = this.#requests;
    this.members = agents;
    this.#frozenAt = state.frozen?.at;
    this.#resets = state.resets ?? 0;
    this.#observeGate("store", undefined);
    this.#observeGate(
      "freeze",
      kind === "frozen" ? `The pool ${id} is frozen${reason(state.frozen?.why)}` : undefined,
    );
    const round = `${this.#requests.record} ${this.#resets}`;
    for (const { measure, limit } of limits) {
      if (isOfPlan(measure)) {
        this.#windows.observe(this.#pool, { measure, limit }, { state, now }, since);
        continue;
      }
      const isOwners = this.#pool.isOwners(measure);
      const isRefused = refused.includes(measure);
      const units = (settled[measure] ?? 0) + (isRefused ? (held[measure] ?? 0) : 0);
      const max = maxFromUnits(measure, sum(of(maxima, measure), of(state.extra, measure)));
      const isDecided = decides && kind !== "stale" && kind !== "frozen" && !isOwners;
      const limitedTo = maxFromUnits(measure, of(maxima, measure) ?? "unlimited");
      const observed = {
        ...{ used: fromUnits(measure, units), max, limitedTo, round },
        ...(isDecided && { admits: !isRefused }),
        ...(until !== undefined && { until }),
      };
      this.#run.observe(limit.name, observed, isOwners ? this.#sinceOwnersTime(units, since) : since);
    }
  }

  // Between two settlements of the owner, this run's own time is added to the owner's.
  #sinceOwnersTime(units: number, now: Reading): Reading {
    if (this.#ownersTime?.units !== units) this.#ownersTime = { units, since: now };
    return this.#ownersTime.since;
  }

  #observeGate(name: "store" | "freeze", why: string | undefined): void {
    const observed = { used: 0, max: 0, admits: why === undefined, ...(why !== undefined && { why }) };
    this.#run.observe(this.#pool.gates[name].name, observed, this.#from);
  }
}

// Nobody has to say why.
function reason(why: string | undefined): string {
  return why ? `: ${why}` : "";
}
