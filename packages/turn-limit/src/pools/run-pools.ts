import { InvalidLimit } from "../core/errors/invalid-limit.ts";
import { type Reply, requireReply } from "../core/governor/decision.ts";
import type { RequestKind } from "../core/governor/run.ts";
import { TOOLS } from "../core/limits/kinds.ts";
import { type Activity, countedFor } from "../core/meter/counting.ts";
import type { Reading } from "../core/meter/meter.ts";
import type { BudgetSource, DrawingRun, Reservation, SharedBudgets } from "../run/shared-budgets.ts";
import type { Amounts } from "./ledger/amounts.ts";
import { Pool, pause } from "./pool.ts";
import { RunPool } from "./run-pool.ts";

/** The part of a run in these pools. */
export function joinPools(sources: readonly BudgetSource[], run: DrawingRun): SharedBudgets {
  return new RunPools(requirePools(sources), run);
}

function requirePools(sources: readonly BudgetSource[]): Pool[] {
  return sources.map((source) => {
    if (source instanceof Pool) return source;
    throw new InvalidLimit("pool", source, "a pool made by createPool, or a list of them");
  });
}

/** What one pool granted, and in which of its records that is. */
interface Granted {
  readonly drawn: RunPool;
  readonly granted: Amounts;
  readonly record: string;
}

/** What pools have granted for a turn or a call, each its own part. */
class PoolReservation implements Reservation {
  readonly #pools: RunPools;
  readonly #granted: readonly Granted[];
  readonly #isTurn: boolean;
  #phase: "reserved" | "begun" | "over" = "reserved";

  constructor(pools: RunPools, granted: readonly Granted[], isTurn: boolean) {
    this.#pools = pools;
    this.#granted = granted;
    this.#isTurn = isTurn;
  }

  begin(): void {
    this.#phase = "begun";
    if (this.#isTurn) this.#pools.turnBegan(this);
  }

  end(): void {
    if (this.#phase !== "begun") return;
    this.#phase = "over";
    if (this.#isTurn) this.#pools.turnEnded(this, true);
  }

  async release(): Promise<void> {
    if (this.#phase === "over") return;
    if (this.#isTurn && this.#phase === "begun") this.#pools.turnEnded(this, false);
    this.#phase = "over";
    await this.#pools.giveBack(this.#granted, this.#isTurn);
  }
}

/** A run that draws from pools: reserves for its turns and calls, settles, and leaves. One thing at a time. */
export class RunPools implements SharedBudgets {
  readonly #run: DrawingRun;
  #drawn: RunPool[];
  // The last of what was begun.
  #last: Promise<unknown> | undefined;
  /** The turns under way. */
  readonly #turns = new Set<Reservation>();
  /** Answers since the last turn was reserved. */
  #answers = 0;
  /** Does it take part, so that it has to leave? */
  #takesPart = false;

  constructor(pools: readonly Pool[], run: DrawingRun) {
    this.#run = run;
    this.#drawn = pools.map((pool) => this.#draws(pool));
  }

  /** Was there never anything to tell a pool? */
  get isIdle(): boolean {
    return this.#last === undefined;
  }

  get takesPart(): boolean {
    return this.#takesPart;
  }

  get hasTurns(): boolean {
    return this.#turns.size > 0;
  }

  // Three times in a lease: members at work are not taken for lost.
  get settleEvery(): number {
    return Math.min(...this.#drawn.map(({ pool }) => pool.options.lease)) / 3;
  }

  /** How many members draw from each pool, by its id, as far as is known. */
  get members(): ReadonlyMap<string, number> {
    return new Map(this.#drawn.map(({ pool, agents }) => [pool.id, agents]));
  }

  /** Does a pool limit tool calls? */
  get limitsCalls(): boolean {
    return this.#drawn.some(({ pool }) => pool.limits.some(({ limit }) => limit.before === "step"));
  }

  /** Draws from these pools from now on. One that is known by its id and store goes on, with the limits that it has now. */
  change(sources: readonly BudgetSource[]): void {
    const pools = requirePools(sources);
    const before = this.#drawn;
    this.#drawn = pools.map((pool) => before.find((drawn) => drawn.becomes(pool)) ?? this.#draws(pool));
    const left = before.filter((drawn) => !this.#drawn.includes(drawn));
    if (left.length > 0) void this.inTurn(() => all(left, (drawn) => drawn.take({ leaves: true })));
  }

  /** One thing after the other: what is decided on a reservation is decided before the next one is asked for. */
  inTurn<T>(what: () => Promise<T>): Promise<T> {
    const result = (this.#last ?? Promise.resolve()).then(what);
    this.#last = result.catch(() => undefined);
    return result;
  }

  reserveTurn(kind: RequestKind): Promise<Reservation | undefined> {
    this.#learn();
    this.#takesPart = true;
    return this.#reserve(wantedFor(kind), true);
  }

  /** Reserves a call of this tool. */
  reserveCall(tool: string | undefined): Promise<Reservation | undefined> {
    return this.#reserve(call(tool), false);
  }

  async forceTurn(activity: Activity): Promise<Reservation> {
    this.#takesPart = true;
    this.#learn();
    const want = wantedFor(activity);
    await all(this.#drawn, (drawn) => drawn.take({ want, force: true }, this.#turns.size + 1));
    return new PoolReservation(this, [], true);
  }

  turnBegan(turn: Reservation): void {
    this.#takesPart = true;
    this.#turns.add(turn);
  }

  /** A turn is over. `isAnswered`: it was sent, and what it took will be learned from. */
  turnEnded(turn: Reservation, isAnswered: boolean): void {
    if (this.#turns.delete(turn) && isAnswered) this.#answers += 1;
  }

  /** Tells the pools what was used, and holds no more than the turns under way need. */
  async settle(): Promise<void> {
    const leaves = this.#takesPart ? {} : { leaves: true };
    await all(this.#drawn, (drawn) => drawn.take(leaves, this.#turns.size));
  }

  /** Another member has told these pools itself what the run counts as its own. */
  settledByAnother(before: Reading, after: Reading): void {
    for (const drawn of this.#drawn) drawn.toldByAnother(before, after);
  }

  /** Finds out where the pools stand, without taking part. */
  async look(): Promise<void> {
    if (this.#turns.size === 0) await all(this.#drawn, (drawn) => drawn.take({ leaves: true }, 0));
  }

  /** A reply about this limit. Throws `InvalidLimit` for a bad one. */
  checkedReply(limit: string, reply: unknown): Reply {
    return requireReply(reply, this.#named(limit)?.counts(limit) ?? false);
  }

  /** A person allows more of a limit. Rejects with `InvalidLimit` for a bad reply. */
  async allow(limit: string, reply: Reply): Promise<void> {
    const drawn = this.#named(limit);
    const said = this.checkedReply(limit, reply);
    if (!drawn || said === false) return;
    await drawn
      .allow(limit, said)
      .catch((error) => this.#run.warn(`Nothing more could be allowed: ${error}`));
  }

  /** Resolves to `true` once there is room again of a limit, to `false` when the signal is aborted. */
  async untilRoom(limit: string, signal: AbortSignal): Promise<boolean> {
    const drawn = this.#named(limit);
    while (drawn && !signal.aborted) {
      await pause(drawn.pool.options.lookEvery, signal);
      if (!signal.aborted && (await drawn.hasRoom(limit).catch(() => false))) return true;
    }
    return false;
  }

  /** Is it a limit of a pool? */
  has(limit: string): boolean {
    return this.#named(limit) !== undefined;
  }

  /** The run is over, or rests: everything is settled, and nothing held. It takes part again with its next turn. */
  leave(): void {
    this.#turns.clear();
    void this.inTurn(async () => {
      if (!this.#takesPart && !this.#drawn.some(({ hasUnsettled }) => hasUnsettled)) return;
      // Another run may have begun meanwhile, but its first turn waits for this.
      this.#takesPart = false;
      await all(this.#drawn, (drawn) => drawn.take({ leaves: true }));
    });
  }

  /** Resolves when everything that was begun is done. */
  async done(): Promise<void> {
    await this.#last;
  }

  async #reserve(want: Amounts, isTurn: boolean): Promise<Reservation | undefined> {
    const pools = this.#drawn;
    const reserved: Granted[] = [];
    let isGranted = true;
    for (const drawn of pools) {
      const granted = drawn.limited(want);
      // A call that no limit of this pool counts needs nothing of it.
      if (!isTurn && Object.keys(granted).length === 0) continue;
      this.#takesPart = true;
      if (await drawn.take({ want }, isTurn ? this.#turns.size + 1 : undefined))
        reserved.push({ drawn, granted, record: drawn.record });
      else isGranted = false;
    }
    const isChanged = pools !== this.#drawn;
    if (isGranted && !isChanged) return new PoolReservation(this, reserved, isTurn);
    await this.giveBack(reserved, isTurn);
    // Meanwhile it was given other pools.
    return isChanged ? this.#reserve(want, isTurn) : undefined;
  }

  async giveBack(reserved: readonly Granted[], isTurn: boolean): Promise<void> {
    const turns = isTurn ? this.#turns.size : undefined;
    await all(reserved, ({ drawn, granted, record }) => {
      // A run that is over, or draws from another pool, does not take part again by that.
      const leaves = !this.#takesPart || !this.#drawn.includes(drawn);
      // What yesterday granted is no part of today.
      return drawn.giveBack(record === drawn.record ? granted : {}, turns, leaves);
    });
  }

  #draws(pool: Pool): RunPool {
    return new RunPool(pool, this.#run);
  }

  #learn(): void {
    for (const drawn of this.#drawn) drawn.learn(this.#answers);
    this.#answers = 0;
  }

  #named(limit: string): RunPool | undefined {
    return this.#drawn.find(({ pool }) => pool.sharedLimits.some(({ name }) => name === limit));
  }
}

function wantedFor(activity: Activity): Amounts {
  const { turns, requests } = countedFor(activity);
  return { turns: turns ? 1 : 0, requests: requests ? 1 : 0 };
}

function call(tool: string | undefined): Amounts {
  return { steps: 1, ...(tool !== undefined && { [TOOLS + tool]: 1 }) };
}

async function all<T>(items: readonly T[], each: (item: T) => Promise<unknown>): Promise<void> {
  for (const item of items) await each(item);
}
