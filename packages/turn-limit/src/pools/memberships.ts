import { type Reply, requireReply } from "../core/governor/decision.ts";
import type { RequestKind } from "../core/governor/run-state.ts";
import type { Activity } from "../core/measures/measures.ts";
import type { Reading } from "../core/meter/meter.ts";
import { pause } from "../run/pause.ts";
import type {
  BudgetSource,
  DrawingRun,
  Reservation,
  SharedBudgets,
  WindowUse,
} from "../run/shared-budgets.ts";
import { type Beginning, type Granted, Membership } from "./membership.ts";
import type { PoolDefinition } from "./pool-definition.ts";
import { SerialQueue } from "./serial-queue.ts";

/** What is known of the pools that a run is given. */
type DefinitionsOf = (sources: readonly BudgetSource[]) => PoolDefinition[];

/** How many milliseconds later a store that could not be told what a run used last is told again: each time it is a longer wait. */
const FIRST_RETRY = 1_000;
const LAST_RETRY = 60_000;

/** A run in all the pools that it draws from: what is granted has to be granted by each of them. One thing at a time. */
export class Memberships implements SharedBudgets {
  readonly #run: DrawingRun;
  readonly #definitionsOf: DefinitionsOf;
  /** The turns under way. */
  readonly #turns = new Set<Reservation>();
  /** How many answers there were since the last turn was reserved. */
  #answers = 0;
  #memberships: Membership[];
  readonly #queue = new SerialQueue();

  constructor(sources: readonly BudgetSource[], definitionsOf: DefinitionsOf, run: DrawingRun) {
    this.#run = run;
    this.#definitionsOf = definitionsOf;
    this.#memberships = definitionsOf(sources).map((pool) => new Membership(pool, run));
  }

  get takesPart(): boolean {
    return this.#memberships.some(({ takesPart }) => takesPart);
  }

  get hasTurns(): boolean {
    return this.#turns.size > 0;
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
    if (left.length > 0) void this.inTurn(() => each(left, (membership) => this.#leave(membership, true)));
  }

  // What is decided on a reservation is decided before the next one is asked for.
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.add(work);
  }

  reserveTurn(kind: RequestKind): Promise<Reservation | undefined> {
    this.#learn();
    return this.#reserve({ activity: kind }, true);
  }

  async forceTurn(activity: Activity): Promise<Reservation> {
    this.#learn();
    const turns = this.#turns.size + 1;
    await each(this.#memberships, (membership) => membership.force({ activity }, turns));
    return this.#reservation(new Map(), true);
  }

  reserveCall(tool: string | undefined): Promise<Reservation | undefined> {
    return this.#reserve({ activity: "call", tool }, false);
  }

  async settle(): Promise<void> {
    await each(this.#memberships, (membership) => membership.settle(this.#turns.size));
  }

  async look(): Promise<void> {
    if (this.hasTurns) return;
    for (const membership of this.#memberships) membership.takesPart = false;
    await this.settle();
  }

  checkedReply(limit: string, reply: unknown): Reply {
    return requireReply(reply, this.#with(limit)?.isWhole(limit) ?? false);
  }

  async read(windows: readonly WindowUse[]): Promise<void> {
    await each(this.#memberships, (membership) => membership.read(windows));
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
  leave(isOver = false): void {
    this.#turns.clear();
    void this.inTurn(() =>
      each(this.#memberships, async (membership) => {
        if (membership.takesPart || membership.hasUnsettled) await this.#leave(membership, isOver);
      }),
    );
  }

  done(): Promise<void> | undefined {
    return this.#queue.isUnused ? undefined : this.#queue.done();
  }

  // What the store could not be told is told later, unless the run takes part again and tells it by itself.
  async #leave(membership: Membership, isOver: boolean, retryAfter = FIRST_RETRY): Promise<void> {
    if (await membership.leave(isOver)) return;
    const retry = () =>
      this.inTurn(async () => {
        if (!membership.takesPart)
          await this.#leave(membership, isOver, Math.min(2 * retryAfter, LAST_RETRY));
      });
    setTimeout(() => void retry(), retryAfter).unref?.();
  }

  // A call that no limit of a pool counts needs nothing of it.
  async #reserve(what: Beginning, isTurn: boolean): Promise<Reservation | undefined> {
    const memberships = this.#memberships;
    const asked = memberships.filter((membership) => isTurn || membership.counts(what));
    const granted = new Map<Membership, Granted>();
    for (const membership of asked) {
      const part = await membership.reserve(what, isTurn ? this.#turns.size + 1 : undefined);
      if (part) granted.set(membership, part);
    }
    const reservation = this.#reservation(granted, isTurn);
    const isChanged = memberships !== this.#memberships;
    if (granted.size === asked.length && !isChanged) return reservation;
    await reservation.release();
    // Meanwhile it was given other pools.
    return isChanged ? this.#reserve(what, isTurn) : undefined;
  }

  #reservation(granted: ReadonlyMap<Membership, Granted>, isTurn: boolean): Reservation {
    const turns = this.#turns;
    let isOver = false;
    const reservation: Reservation = {
      begin: () => {
        if (isTurn) turns.add(reservation);
      },
      end: () => {
        isOver = true;
        if (turns.delete(reservation)) this.#answers += 1;
      },
      release: async () => {
        if (isOver) return;
        isOver = true;
        turns.delete(reservation);
        for (const [membership, part] of granted)
          await membership.giveBack(part, isTurn ? turns.size : undefined);
      },
    };
    return reservation;
  }

  #learn(): void {
    for (const membership of this.#memberships) membership.learn(this.#answers);
    this.#answers = 0;
  }

  #with(limit: string): Membership | undefined {
    return this.#memberships.find((membership) => membership.has(limit));
  }
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (const item of items) await work(item);
}
