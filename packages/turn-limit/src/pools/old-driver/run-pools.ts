import { InvalidLimit } from "../../core/errors/invalid-limit.ts";
import { type Reply, requireReply } from "../../core/governor/decision.ts";
import type { SharedDesk } from "../../core/governor/governor.ts";
import type { RequestKind } from "../../core/governor/run.ts";
import { TOOLS } from "../../core/limits/kinds.ts";
import type { SingleLimit } from "../../core/limits/limit.ts";
import { type Activity, countedFor } from "../../core/meter/counting.ts";
import type { Reading } from "../../core/meter/meter.ts";
import { pause } from "../../run/until-aborted.ts";
import type { Amounts } from "../ledger/amounts.ts";
import { Pool } from "../pool.ts";
import type { PoolDefinition } from "../pool-definition.ts";
import { RunPool } from "./run-pool.ts";

/** The limits that a governor needs to hold a run to these pools. */
export function limitsOfPools(pools: readonly PoolDefinition[]): SingleLimit[] {
  return pools.flatMap(({ limits, gates }) => [
    gates.store,
    gates.freeze,
    ...limits.map(({ limit }) => limit),
  ]);
}

/** The pools of the options, which may be one, several or none. */
export function requirePools(given: unknown, name: string): PoolDefinition[] {
  const pools = given === undefined ? [] : Array.isArray(given) ? given : [given];
  for (const pool of pools)
    if (!(pool instanceof Pool))
      throw new InvalidLimit(name, pool, "a pool made by createPool, or a list of them");
  const ids = pools.map(({ id }: Pool) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new InvalidLimit(name, twice, "pools with ids of their own");
  return Pool.definitionsOf(pools);
}

/** What a run that draws from pools tells its driver. */
export interface RunPoolsEvents {
  warn(message: string): void;
  /** The pools are about to be told what was used, which may be time. */
  tells(): void;
  /** In the middle of a turn, more is known of what is left. */
  heard(): void;
}

/** What pools have granted, each its own part, and in which of their records that is. */
export type Reservation = readonly Granted[];

interface Granted {
  readonly drawn: RunPool;
  readonly granted: Amounts;
  readonly record: string;
}

/** A run that draws from pools: reserves for its turns and calls, settles, and leaves. One thing at a time. */
export class RunPools {
  readonly #desk: SharedDesk;
  readonly #events: RunPoolsEvents;
  #drawn: RunPool[];
  // The last of what was begun.
  #last: Promise<unknown> | undefined;
  #turnsUnderWay = 0;
  /** Answers since the last turn was reserved. */
  #answers = 0;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #isSpeakingUp = false;
  readonly #who: { id: string; name: string };
  /** Does it take part, so that it has to leave? */
  #takesPart = false;

  constructor(
    pools: readonly PoolDefinition[],
    desk: SharedDesk,
    events: RunPoolsEvents,
    who: { id: string; name: string },
  ) {
    this.#desk = desk;
    this.#events = events;
    this.#who = who;
    this.#drawn = pools.map((pool) => this.#draws(pool));
  }

  /** Was there never anything to tell a pool? */
  get isIdle(): boolean {
    return this.#last === undefined;
  }

  /** How many members draw from each pool, by its id, as far as is known. */
  get agents(): ReadonlyMap<string, number> {
    return new Map(this.#drawn.map(({ pool, agents }) => [pool.id, agents]));
  }

  /** Does a pool limit tool calls? */
  get countsCalls(): boolean {
    return this.#drawn.some(({ pool }) => pool.limits.some(({ limit }) => limit.before === "step"));
  }

  /** Draws from these pools from now on. One that is known by its id and store goes on, with the limits that it has now. */
  change(pools: readonly PoolDefinition[]): void {
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

  /**
   * Reserves what the next turn needs, unless another limit holds it anyway. `asked`: a person said yes about this limit,
   * so it does not. What was granted has to be used by {@link begun}, or given back by {@link giveBackTurn}.
   */
  async reserveTurn(as: RequestKind | undefined, asked?: string): Promise<Reservation | undefined> {
    const kind = as ?? this.#desk.nextKind;
    const isHeld = asked === undefined ? this.#desk.isHeld(kind) : this.#desk.isEnding;
    // Whoever waits for a person holds nothing.
    if (isHeld) {
      if (this.#takesPart) await this.settle();
      return undefined;
    }
    this.#learn();
    return this.#reserve(wantedFor(kind), true);
  }

  /** Reserves a call of this tool. */
  reserveCall(tool: string | undefined): Promise<Reservation | undefined> {
    return this.#reserve(call(tool), false);
  }

  /** A turn has begun; without a reservation it counts all the same. */
  async begun(reserved: Reservation | undefined): Promise<void> {
    this.#turnsUnderWay += 1;
    this.#takesPart = true;
    this.#beat();
    if (reserved) return;
    this.#learn();
    const want = wantedFor(this.#desk.activity);
    await all(this.#drawn, (drawn) => drawn.take({ want, force: true }, this.#turnsUnderWay));
  }

  /** The turn that this was reserved for does not begin. */
  async giveBackTurn(reserved: Reservation | undefined): Promise<void> {
    await this.#giveBack(reserved ?? [], this.#turnsUnderWay);
  }

  /** The call that this was reserved for takes no step. */
  async giveBackCall(reserved: Reservation | undefined): Promise<void> {
    await this.#giveBack(reserved ?? []);
  }

  /** A call, which was admitted with this, takes no step. */
  callDenied(reserved: Reservation | undefined): void {
    void this.inTurn(() => this.giveBackCall(reserved));
  }

  /** A turn has its answer, or will get none. */
  turnEnded(): void {
    if (this.#turnsUnderWay === 0) return;
    this.#turnsUnderWay -= 1;
    this.#answers += 1;
  }

  /** Tells the pools what was used, and holds no more than the turns under way need. */
  async settle(): Promise<void> {
    const leaves = this.#takesPart ? {} : { leaves: true };
    await all(this.#drawn, (drawn) => drawn.take(leaves, this.#turnsUnderWay));
  }

  /** Another member has told these pools itself what the run counts as its own. */
  toldByAnother(before: Reading, after: Reading): void {
    for (const drawn of this.#drawn) drawn.toldByAnother(before, after);
  }

  /** Finds out where the pools stand, without taking part. */
  async look(): Promise<void> {
    if (this.#turnsUnderWay === 0) await all(this.#drawn, (drawn) => drawn.take({ leaves: true }, 0));
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
      .catch((error) => this.#events.warn(`Nothing more could be allowed: ${error}`));
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
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
    this.#turnsUnderWay = 0;
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
      if (await drawn.take({ want }, isTurn ? this.#turnsUnderWay + 1 : undefined))
        reserved.push({ drawn, granted, record: drawn.record });
      else isGranted = false;
    }
    const isChanged = pools !== this.#drawn;
    if (isGranted && !isChanged) return reserved;
    await this.#giveBack(reserved, isTurn ? this.#turnsUnderWay : undefined);
    // Meanwhile it was given other pools.
    return isChanged ? this.#reserve(want, isTurn) : undefined;
  }

  async #giveBack(reserved: Reservation, turns?: number): Promise<void> {
    await all(reserved, ({ drawn, granted, record }) => {
      // A run that is over, or draws from another pool, does not take part again by that.
      const leaves = !this.#takesPart || !this.#drawn.includes(drawn);
      // What yesterday granted is no part of today.
      return drawn.giveBack(record === drawn.record ? granted : {}, turns, leaves);
    });
  }

  #draws(pool: PoolDefinition): RunPool {
    return new RunPool(pool, this.#desk, this.#who, (message) => this.#events.warn(message));
  }

  #learn(): void {
    for (const drawn of this.#drawn) drawn.learn(this.#answers);
    this.#answers = 0;
  }

  // Members at work speak up, so that what they hold is not taken for lost.
  #beat(): void {
    if (this.#heartbeat || this.#drawn.length === 0) return;
    const lease = Math.min(...this.#drawn.map(({ pool }) => pool.options.lease));
    // A run that nobody knows any more, because it waited for a person who never came, must not be kept by this.
    const known = new WeakRef(this);
    const heartbeat = setInterval(() => {
      const runPools = known.deref();
      if (runPools) runPools.#speakUp();
      else clearInterval(heartbeat);
    }, lease / 3);
    heartbeat.unref?.();
    this.#heartbeat = heartbeat;
  }

  #speakUp(): void {
    if (this.#desk.isWaiting && this.#turnsUnderWay === 0) this.leave();
    // The store may be slower than this: turns must not wait for all that was not said.
    if (this.#isSpeakingUp) return;
    this.#isSpeakingUp = true;
    void this.inTurn(async () => {
      if (this.#takesPart) {
        this.#events.tells();
        await this.settle();
        this.#events.heard();
      }
    }).finally(() => {
      this.#isSpeakingUp = false;
    });
  }

  #named(limit: string): RunPool | undefined {
    return this.#drawn.find(({ pool }) => limitsOfPools([pool]).some(({ name }) => name === limit));
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
