import type { Reply } from "../../core/governor/decision.ts";
import type { SharedDesk } from "../../core/governor/governor.ts";
import type { Reading } from "../../core/meter/meter.ts";
import type { Amounts } from "../ledger/amounts.ts";
import { sum } from "../ledger/pool-state.ts";
import type { Taken } from "../ledger/store.ts";
import type { PoolDefinition, PooledLimit } from "../pool-definition.ts";
import { memoryStore } from "../stores/memory.ts";
import { fromUnits, isCounted, maxFromUnits, toUnits, usedUnits } from "../units.ts";
import { patiently } from "./patiently.ts";
import { PoolRequests, type Request, together } from "./pool-requests.ts";

/** From how many answers the next one is estimated. */
const RECENT = 5;

/** A pool that a run draws from: what the run has told it so far, and what it is expected to take. */
export class RunPool {
  readonly #desk: SharedDesk;
  readonly #who: { id: string; name: string };
  #pool: PoolDefinition;
  #member: PoolRequests;
  /** The same pool in the memory of this process, once its store could not be used. */
  #local: PoolDefinition | undefined;
  readonly #from: Reading;
  #learnedFrom: Reading;
  readonly #warn: (message: string) => void;
  /** Everything that the pool was told. */
  #told: Amounts = {};
  /** What it was told in this period, so that it can be told elsewhere. */
  #toldInPeriod: Amounts = {};
  #period: string | undefined;
  /** What has to be given back, and the pool has not heard yet. */
  #owed: Amounts = {};
  readonly #recent = new Map<string, number[]>();
  /** The time that the owner has told last, and when that was first seen. */
  #owners: { units: number; since: Reading } | undefined;
  #thawed: number | undefined;
  #frozenAt: number | undefined;

  constructor(
    pool: PoolDefinition,
    desk: SharedDesk,
    who: { id: string; name: string },
    warn: (message: string) => void,
  ) {
    this.#pool = pool;
    this.#desk = desk;
    this.#who = who;
    this.#warn = warn;
    this.#from = this.#learnedFrom = desk.reading;
    this.#member = new PoolRequests(pool, who);
  }

  get pool(): PoolDefinition {
    return this.#pool;
  }

  /** The name of the record that it draws from. */
  get record(): string {
    return this.#member.record;
  }

  /** Goes on with this pool, if it is the same one with other settings. Is it? */
  becomes(pool: PoolDefinition): boolean {
    if (!this.#pool.isSameAs(pool)) return false;
    this.#pool = pool;
    if (this.#local) this.#local = localPool(pool, this.#local.store);
    this.#member.pool = this.#local ?? pool;
    return true;
  }

  /** How many draw from it, as far as is known. */
  agents = 0;
  /** Why its store could not be used, when that last was so. */
  #problem = "";

  /** Was something used, or is something to be given back, that the pool was not told? */
  get hasUnsettled(): boolean {
    return Object.keys(this.#untold(this.#desk.reading)).length > 0;
  }

  /** The amounts of these counted things that it limits. */
  limited(counted: Amounts): Amounts {
    return Object.fromEntries(
      Object.entries(counted).filter(([measure]) =>
        this.pool.limits.some((limit) => limit.measure === measure),
      ),
    );
  }

  /**
   * Settles what was used, and reserves if there is something to reserve. `turns`: for how many turns at once. Left out: it
   * goes on holding what it holds. Tells the governor what came of it. Was it granted?
   */
  async take(request: Omit<Request, "settle" | "hold">, turns?: number): Promise<boolean> {
    const reading = this.#desk.reading;
    const settle = this.#untold(reading);
    const hold = turns === undefined ? {} : { hold: turns === 0 ? {} : this.#expected(turns) };
    const decides = request.want !== undefined && !request.force;
    const want = request.want && this.limited(request.want);
    try {
      const taken = await this.#member.take({
        ...request,
        ...(want && { want }),
        settle,
        ...hold,
        ...(this.#thawed !== undefined && { thawed: this.#thawed }),
      });
      const isGranted = taken.kind === "granted";
      this.#heard(settle, isGranted ? want : undefined);
      this.#requireOwner(taken);
      this.#tell(taken, reading, decides);
      return isGranted;
    } catch (error) {
      this.#problem = messageOf(error);
      if (this.pool.options.unreachable === "local" && !this.#local) {
        await this.goLocal();
        return this.take(request, turns);
      }
      this.#gate("store", `The store of pool ${this.pool.id} cannot be used: ${this.#problem}`);
      return false;
    }
  }

  /** Another member has told the pool itself what this run now counts as its own: it must not be told again. */
  toldByAnother(before: Reading, after: Reading): void {
    const told: Record<string, number> = {};
    for (const { measure, limit } of this.#measured) {
      const used = (reading: Reading) => usedUnits(measure, limit.usedBetween(this.#from, reading));
      told[measure] = used(after) - used(before);
    }
    this.#told = together(this.#told, told);
    this.#toldInPeriod = together(this.#toldInPeriod, told);
  }

  /** Learns how much an answer takes. `answers`: how many there were since it last did. */
  learn(answers: number): void {
    if (answers === 0) return;
    const reading = this.#desk.reading;
    for (const { measure, limit } of this.#measured) {
      const used = usedUnits(measure, limit.usedBetween(this.#learnedFrom, reading));
      if (used > 0)
        this.#recent.set(measure, [...(this.#recent.get(measure) ?? []), used / answers].slice(-RECENT));
    }
    this.#learnedFrom = reading;
  }

  /** Gives back what was granted and not used. `turns`: for how many turns it still holds something, if that changes. */
  async giveBack(granted: Amounts, turns?: number, leaves = false): Promise<void> {
    if (Object.keys(granted).length === 0 && turns === undefined) return;
    for (const [measure, amount] of Object.entries(granted))
      this.#owed = together(this.#owed, { [measure]: -amount });
    const reading = this.#desk.reading;
    const settle = this.#untold(reading);
    const hold = turns === undefined ? {} : { hold: turns === 0 ? {} : this.#expected(turns) };
    await this.#member.take({ settle, ...hold, ...(leaves && { leaves }) }).then(
      (taken) => {
        this.#heard(settle);
        this.#tell(taken, reading, false);
      },
      // A store that cannot be reached is told the next time.
      () => undefined,
    );
  }

  /** Is it a limit of what is counted, in whole numbers? */
  counts(limit: string): boolean {
    return this.pool.limits.some(({ measure, limit: { name } }) => name === limit && isCounted(measure));
  }

  /** A person allows more of a limit, or to go on in spite of a gate. */
  async allow(limit: string, reply: Reply): Promise<void> {
    if (limit === this.pool.gates.store.name) return this.goLocal();
    if (limit === this.pool.gates.freeze.name) {
      this.#thawed = this.#frozenAt;
      return;
    }
    const pooled = this.pool.limits.find((pooled) => pooled.limit.name === limit);
    if (!pooled || this.pool.isOwnedByAnother || reply === "wrap-up") return;
    const { max } = pooled.limit;
    // Of a limit of 0, a yes allows the least there is.
    const round = max === 0 ? fromUnits(pooled.measure, 1) : max;
    const by = typeof reply === "object" ? reply.more : reply === "unlimited" ? reply : round;
    const extended = this.#local ?? this.pool;
    await extended.change(extended.extension(limit, by));
  }

  /** Is there room again for what the run was held for? */
  async hasRoom(limit: string): Promise<boolean> {
    if (this.#local) return false;
    const { store } = this.pool;
    const span = this.pool.spanAt(await patiently(store.now()));
    const record = await patiently(store.read(this.pool.recordIn(span)));
    if (!record) return limit !== this.pool.gates.store.name;
    if (limit === this.pool.gates.freeze.name) return !record.head.frozen;
    const pooled = this.pool.limits.find((pooled) => pooled.limit.name === limit);
    if (!pooled) return false;
    const { measure } = pooled;
    const limits = this.pool.isOwnedByAnother ? record.head.limits : (this.pool.ownMaxima ?? {});
    const max = sum(limits[measure] ?? "unlimited", record.head.extra[measure]);
    return max === "unlimited" || (record.settled[measure] ?? 0) + (record.held[measure] ?? 0) < max;
  }

  /** The store cannot be used: the pool's limits hold for this run by itself, with what it has used so far. */
  async goLocal(): Promise<void> {
    this.#local = localPool(this.pool, memoryStore());
    this.#member = new PoolRequests(this.#local, this.#who);
    await this.#member.take({ settle: this.#toldInPeriod });
    this.#gate("store", undefined);
    this.#warn(
      `The store of pool ${this.pool.id} cannot be used, so its limits hold for this run by itself. ${this.#problem}`,
    );
  }

  // What is measured, and told afterwards. Of a pool that another owns, the time is the owner's: its members work at the
  // same time.
  get #measured(): readonly PooledLimit[] {
    return this.pool.limits.filter(({ measure }) => !isCounted(measure) && !this.#isOwners(measure));
  }

  #isOwners(measure: string): boolean {
    return this.pool.isOwnedByAnother && measure === "time";
  }

  // What was used and not told. Rounded as a whole, so that nothing is lost between many small amounts.
  #unsettled(reading: Reading): Amounts {
    const settle: Record<string, number> = {};
    for (const { measure, limit } of this.#measured) {
      const used = usedUnits(measure, limit.usedBetween(this.#from, reading));
      const unsettled = used - (this.#told[measure] ?? 0);
      if (unsettled !== 0) settle[measure] = unsettled;
    }
    return settle;
  }

  // The same, and what has to be given back.
  #untold(reading: Reading): Amounts {
    return together(this.#unsettled(reading), this.#owed);
  }

  // The pool knows this now. What was used before midnight was told to the day before.
  #heard(settled: Amounts, granted: Amounts = {}): void {
    const all = together(settled, granted);
    this.#owed = {};
    this.#told = together(this.#told, all);
    const { record } = this.#member;
    const isSamePeriod = this.#period === undefined || this.#period === record;
    this.#toldInPeriod = isSamePeriod ? together(this.#toldInPeriod, all) : granted;
    this.#period = record;
  }

  // A pool that lost its record must not be one without limits.
  #requireOwner({ head }: Taken): void {
    const isSaid = ({ measure }: PooledLimit) => Object.hasOwn(head.limits, measure);
    if (this.pool.isOwnedByAnother && !this.pool.limits.every(isSaid))
      throw new Error("It no longer says how much the pool admits.");
  }

  // What the next answers are expected to take.
  #expected(turns: number): Amounts {
    return Object.fromEntries(
      this.#measured.map(({ measure }) => {
        const configured = this.pool.options.estimate[measure];
        const recent = this.#recent.get(measure) ?? [];
        const average = recent.reduce((all, one) => all + one, 0) / Math.max(1, recent.length);
        return [
          measure,
          turns * Math.ceil(configured === undefined ? average : toUnits(measure, configured)),
        ];
      }),
    );
  }

  // `decides`: the next turn or call is decided by what came of it. In between, the numbers say what is left.
  #tell(taken: Taken, since: Reading, decides: boolean): void {
    const { settled, held, head, kind, refused, agents } = taken;
    this.agents = agents;
    this.#frozenAt = head.frozen?.at;
    this.#gate("store", undefined);
    this.#gate(
      "freeze",
      kind === "frozen" ? `The pool ${this.pool.id} is frozen: ${head.frozen?.why}` : undefined,
    );
    const limits = this.pool.isOwnedByAnother ? head.limits : (this.pool.ownMaxima ?? {});
    for (const { measure, limit } of this.pool.limits) {
      const isRefused = refused.includes(measure);
      const units = (settled[measure] ?? 0) + (isRefused ? (held[measure] ?? 0) : 0);
      const max = maxFromUnits(measure, sum(limits[measure] ?? "unlimited", head.extra[measure]));
      const isDecided = decides && kind !== "stale" && kind !== "frozen" && !this.#isOwners(measure);
      const admits = isDecided ? { admits: !isRefused } : {};
      const from = this.#isOwners(measure) ? this.#ownersTime(units, since) : since;
      this.#desk.observe(limit.name, { used: fromUnits(measure, units), max, ...admits }, from);
    }
  }

  // From when on this run's own time is added to the owner's. While the owner is silent, time passes all the same.
  #ownersTime(units: number, now: Reading): Reading {
    if (this.#owners?.units !== units) this.#owners = { units, since: now };
    return this.#owners.since;
  }

  #gate(name: "store" | "freeze", why: string | undefined): void {
    const told = { used: 0, max: 0, admits: why === undefined, ...(why !== undefined && { why }) };
    this.#desk.observe(this.pool.gates[name].name, told, this.#from);
  }
}

// The same pool, in the memory of this process.
function localPool(pool: PoolDefinition, store: PoolDefinition["store"]): PoolDefinition {
  return Object.create(pool, { store: { value: store } });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
