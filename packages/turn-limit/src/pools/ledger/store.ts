import type { Max } from "../../core/limits/boundary.ts";
import type { Amounts } from "./amounts.ts";
import type { Change, Changed, PoolState } from "./pool-state.ts";

/** How much a pool admits of each thing that is measured, in the units of {@link Amounts}. */
export type Maxima = Readonly<Record<string, Max>>;

/** What a member asks of a pool, in one step that nothing can come between: it settles, and it reserves. */
export interface Take {
  /** The name of the pool's record. A pool with a period has one for each day, week or month. */
  pool: string;
  /** Who asks: a name for people to read goes with the id. */
  member: { id: string; name: string };
  /** One more with each request of this member. A request that is made again has the same, and is not granted twice. */
  turn: number;
  /** What it used since it last said so. Negative: what it took and did not use. */
  settle: Amounts;
  /** What it wants to count now. All of it is granted, or nothing. */
  want?: Amounts;
  /**
   * What it expects to use until it settles again, in place of what it held before. As much of it is held as is left; if
   * nothing is left, the request is refused. Left out: it goes on holding what it holds.
   */
  hold?: Amounts;
  /** How much it may count and hold, together with all others. Left out: what the owner of the pool last said. */
  limits?: Maxima;
  /** It counts what it wants even if that is not covered, for an answer that a person or a policy allows. */
  force?: boolean;
  /** It goes on in spite of the freeze that began then. */
  thawed?: number;
  /** The record is only good from `from` until before `to`, in the store's time. */
  period?: { from: number; to: number };
  /** How many milliseconds it may be silent. After that, what it holds counts as used. */
  lease: number;
  /** It takes no further part, until it asks again. */
  leaves?: boolean;
  /** The store may forget the record then, in the store's time. */
  expires?: number;
}

/** What all members together have used and hold, and what was allowed in addition. */
export interface Totals {
  settled: Amounts;
  held: Amounts;
  /** What holds for all members. */
  state: PoolState;
  /** How many members take part. */
  agents: number;
}

/** What comes of a {@link Take}. */
export interface Taken extends Totals {
  /**
   * - `granted`: it is counted, and held
   * - `refused`: `refused` says what is not covered; what was settled is settled, and it holds nothing
   * - `frozen`: the pool is frozen; what was settled is settled, and it holds nothing
   * - `stale`: another period has begun, and nothing was done
   */
  kind: "granted" | "refused" | "frozen" | "stale";
  /** What is not covered. */
  refused: readonly string[];
  /** What this member holds now. */
  holds: Amounts;
  /** The store's time, in milliseconds. */
  now: number;
}

/** A member as others see it. */
export interface Member {
  id: string;
  name: string;
  /** What it has used. */
  used: Amounts;
  holds: Amounts;
  /** Does it still take part? Otherwise it left, or was silent for too long. */
  isPresent: boolean;
}

/** Everything that a store knows of a pool. */
export interface PoolRecord extends Totals {
  pool: string;
  members: Member[];
  now: number;
}

/**
 * Where pools keep their records. Each method is atomic: what it does is done as a whole or not at all, whoever else
 * uses the store. It rejects when the store cannot be reached, is damaged, or is of a later version. `testStore` of
 * `turn-limit/testing` tells whether a store of your own does what it must.
 */
export interface Store {
  /** Settles and reserves. */
  take(take: Take): Promise<Taken>;
  /** Changes what holds for all members. */
  change(pool: string, change: Change): Promise<Changed>;
  /** A record as it stands; `undefined` if there is none. */
  read(pool: string): Promise<PoolRecord | undefined>;
  /** The names of all records. */
  list(): Promise<string[]>;
  /** The store's time, in milliseconds. */
  now(): Promise<number>;
  /** Lets go of files and connections. */
  close(): Promise<void>;
}
