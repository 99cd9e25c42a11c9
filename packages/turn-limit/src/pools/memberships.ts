import { type Reply, requireReply } from "../core/governor/decision.ts";
import type { RequestKind } from "../core/governor/run.ts";
import { TOOLS } from "../core/limits/kinds.ts";
import { type Activity, countedFor } from "../core/meter/counting.ts";
import type { Reading } from "../core/meter/meter.ts";
import type { BudgetSource, DrawingRun, Reservation, SharedBudgets } from "../run/shared-budgets.ts";
import { pause } from "../run/until-aborted.ts";
import type { Amounts } from "./ledger/amounts.ts";
import { type Granted, Membership } from "./membership.ts";
import type { PoolDefinition } from "./pool-definition.ts";
import { SerialQueue } from "./serial-queue.ts";

/** What is known of the pools that a run is given. */
type DefinitionsOf = (sources: readonly BudgetSource[]) => PoolDefinition[];

/** The turns of a run that are under way. */
class TurnsUnderWay {
  readonly #turns = new Set<Reservation>();
  #answers = 0;

  get count(): number {
    return this.#turns.size;
  }

  begin(turn: Reservation): void {
    this.#turns.add(turn);
  }

  /** A turn is over. `isAnswered`: it was sent, so what it took can be learned from. */
  end(turn: Reservation, isAnswered: boolean): void {
    if (this.#turns.delete(turn) && isAnswered) this.#answers += 1;
  }

  /** How many answers there were since this was last asked for. */
  newAnswers(): number {
    const answers = this.#answers;
    this.#answers = 0;
    return answers;
  }

  clear(): void {
    this.#turns.clear();
  }
}

/** What pools have granted for a turn or a call, each its own part. `turns`: left out for a call. */
class PoolReservation implements Reservation {
  readonly #granted: ReadonlyMap<Membership, Granted>;
  readonly #turns: TurnsUnderWay | undefined;
  #phase: "reserved" | "begun" | "over" = "reserved";

  constructor(granted: ReadonlyMap<Membership, Granted>, turns?: TurnsUnderWay) {
    this.#granted = granted;
    this.#turns = turns;
  }

  begin(): void {
    this.#phase = "begun";
    this.#turns?.begin(this);
  }

  end(): void {
    if (this.#phase !== "begun") return;
    this.#phase = "over";
    this.#turns?.end(this, true);
  }

  async release(): Promise<void> {
    if (this.#phase === "over") return;
    this.#phase = "over";
    this.#turns?.end(this, false);
    for (const [membership, granted] of this.#granted) await membership.giveBack(granted, this.#turns?.count);
  }
}

/** A run in all the pools that it draws from: what is granted has to be granted by each of them. One thing at a time. */
export class Memberships implements SharedBudgets {
  readonly #run: DrawingRun;
  readonly #definitionsOf: DefinitionsOf;
  readonly #turns = new TurnsUnderWay();
  #memberships: Membership[];
  readonly #queue = new SerialQueue();

  constructor(sources: readonly BudgetSource[], definitionsOf: DefinitionsOf, run: DrawingRun) {
    this.#run = run;
    this.#definitionsOf = definitionsOf;
    this.#memberships = definitionsOf(sources).map((pool) => new Membership(pool, run));
  }

  get isIdle(): boolean {
    return this.#queue.isUnused;
  }

  get takesPart(): boolean {
    return this.#memberships.some(({ takesPart }) => takesPart);
  }

  get hasTurns(): boolean {
    return this.#turns.count > 0;
  }

  // Three times in a lease: members at work are not taken for lost.
  get settleEvery(): number {
    return Math.min(...this.#memberships.map(({ pool }) => pool.options.lease)) / 3;
  }

  get members(): ReadonlyMap<string, number> {
    return new Map(this.#memberships.map(({ pool, members }) => [pool.id, members]));
  }

  get limitsCalls(): boolean {
    return this.#memberships.some(({ pool }) => pool.limits.some(({ limit }) => limit.before === "step"));
  }

  has(limit: string): boolean {
    return this.#with(limit) !== undefined;
  }

  // One that is known by its id and store goes on, with the limits that it has now.
  change(sources: readonly BudgetSource[]): void {
    const before = this.#memberships;
    const { takesPart } = this;
    this.#memberships = this.#definitionsOf(sources).map(
      (pool) =>
        before.find((membership) => membership.becomes(pool)) ?? new Membership(pool, this.#run, takesPart),
    );
    const left = before.filter((membership) => !this.#memberships.includes(membership));
    if (left.length > 0) void this.inTurn(() => each(left, (membership) => membership.leave()));
  }

  // What is decided on a reservation is decided before the next one is asked for.
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.add(work);
  }

  reserveTurn(kind: RequestKind): Promise<Reservation | undefined> {
    this.#learn();
    return this.#reserve(wantedFor(kind), this.#turns);
  }

  async forceTurn(activity: Activity): Promise<Reservation> {
    this.#learn();
    const turns = this.#turns.count + 1;
    await each(this.#memberships, (membership) => membership.force(wantedFor(activity), turns));
    return new PoolReservation(new Map(), this.#turns);
  }

  reserveCall(tool: string | undefined): Promise<Reservation | undefined> {
    return this.#reserve({ steps: 1, ...(tool !== undefined && { [TOOLS + tool]: 1 }) });
  }

  async settle(): Promise<void> {
    await each(this.#memberships, (membership) => membership.settle(this.#turns.count));
  }

  async look(): Promise<void> {
    if (this.hasTurns) return;
    for (const membership of this.#memberships) membership.takesPart = false;
    await this.settle();
  }

  checkedReply(limit: string, reply: unknown): Reply {
    return requireReply(reply, this.#with(limit)?.counts(limit) ?? false);
  }

  async allow(limit: string, reply: Reply): Promise<void> {
    const said = this.checkedReply(limit, reply);
    if (said === false) return;
    await this.#with(limit)
      ?.allow(limit, said)
      .catch((error) => this.#run.warn(`Nothing more could be allowed: ${error}`));
  }

  async untilRoom(limit: string, signal: AbortSignal): Promise<boolean> {
    const membership = this.#with(limit);
    while (membership && !signal.aborted) {
      await pause(membership.pool.options.lookEvery, signal);
      if (!signal.aborted && (await membership.hasRoom(limit).catch(() => false))) return true;
    }
    return false;
  }

  settledByAnother(before: Reading, after: Reading): void {
    for (const membership of this.#memberships) membership.settledByAnother(before, after);
  }

  // The run takes part again with its next turn, which waits for this.
  leave(): void {
    this.#turns.clear();
    void this.inTurn(() =>
      each(this.#memberships, async (membership) => {
        if (membership.takesPart || membership.hasUnsettled) await membership.leave();
      }),
    );
  }

  done(): Promise<void> {
    return this.#queue.done();
  }

  // `turns`: left out for a call. A call that no limit of a pool counts needs nothing of it.
  async #reserve(want: Amounts, turns?: TurnsUnderWay): Promise<Reservation | undefined> {
    const memberships = this.#memberships;
    const asked = memberships.filter((membership) => turns || membership.limitsAny(want));
    const granted = new Map<Membership, Granted>();
    for (const membership of asked) {
      const amounts = await membership.reserve(want, turns && turns.count + 1);
      if (amounts) granted.set(membership, amounts);
    }
    const reservation = new PoolReservation(granted, turns);
    const isChanged = memberships !== this.#memberships;
    if (granted.size === asked.length && !isChanged) return reservation;
    await reservation.release();
    // Meanwhile it was given other pools.
    return isChanged ? this.#reserve(want, turns) : undefined;
  }

  #learn(): void {
    const answers = this.#turns.newAnswers();
    for (const membership of this.#memberships) membership.learn(answers);
  }

  #with(limit: string): Membership | undefined {
    return this.#memberships.find((membership) => membership.has(limit));
  }
}

function wantedFor(activity: Activity): Amounts {
  const { turns, requests } = countedFor(activity);
  return { turns: turns ? 1 : 0, requests: requests ? 1 : 0 };
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (const item of items) await work(item);
}
