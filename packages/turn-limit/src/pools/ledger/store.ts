import type { PastRun } from "../../core/history/past-run.ts";
import type { Max } from "../../core/limits/boundary.ts";
import type { Amounts } from "./amounts.ts";
import type { Grant } from "./grants.ts";
import type { ListedRun } from "./listed-run.ts";
import type { EndedRun } from "./past-runs.ts";
import type { Change, Changed } from "./pool-changes.ts";
import type { PoolState } from "./pool-state.ts";
import type { Terms } from "./terms.ts";

/** How much a pool admits of each thing that is measured, in the units of {@link Amounts}. */
export type Maxima = Readonly<Record<string, Max>>;

/** What a member asks of a pool, in one step that nothing can come between: it settles, and it reserves. */
export interface Take {
  /** The name of the pool's record. A pool with a period has one for each day, week or month. */
  pool: string;
  /** Who asks: a name for people to read goes with the id, and what a run says of itself that is listed. */
  member: { id: string; name: string; run?: ListedRun };
  /** Higher each time that the member starts anew, in another process or after it was forgotten. */
  incarnation: number;
  /**
   * One more with each request of this incarnation. A request with the number of the last one is the same, made again,
   * and is not done twice. One with a lower number, or of an earlier incarnation, comes too late: nothing is done.
   */
  turn: number;
  /** The number of its last request in this record that was answered; 0 if none was. A store that knows less lost it. */
  answered: number;
  /** The store's time in that answer; 0 if there was none. */
  heard: number;
  /** All that it used in this record since this incarnation began, with what it was granted and uses. */
  used: Amounts;
  /** What it wants to count now. All of it is granted, or nothing. */
  want?: Amounts;
  /**
   * What it expects to use until it settles again, in place of what it held before. As much of it is held as is left; if
   * nothing is left, the request is refused. Left out: it goes on holding what it holds.
   */
  hold?: Amounts;
  /** How much it may count and hold, together with all others. Left out: what is recorded with the pool. */
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
  /** How many milliseconds after its last request the store may forget the record. It may not while it has a lease. */
  keepFor?: number;
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
   * - `late`: a later request of the member, or a later incarnation, came before, and nothing was done
   * - `forgotten`: the member was away for so long that the store forgot it or the record, and nothing was done
   * - `lost`: the store has lost requests that it had answered, and nothing was done
   */
  kind: "granted" | "refused" | "frozen" | "stale" | "late" | "forgotten" | "lost";
  /** What is not covered. */
  refused: readonly string[];
  /** What this member holds now. */
  holds: Amounts;
  /** The latest incarnation of this member that the store knows; 0 if it knows none. */
  incarnation: number;
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
  /** What it says of itself, in the record of a listed run. */
  run?: ListedRun;
}

/** Everything that a store knows of a pool. */
export interface PoolRecord extends Totals {
  pool: string;
  /** Those that take part, and the last of those that no longer do. */
  members: Member[];
  /** All others: how many they were, and what they used together. */
  departed: { members: number; used: Amounts };
  now: number;
}

/** A record without its members: what it costs to look does not depend on how many they are. */
export interface Look {
  /** What holds for the pool, and what of it is used; `undefined` if there is no record. */
  totals: Totals | undefined;
  /** What holds for the pool in every period. */
  terms: Terms;
  now: number;
}

/**
 * Where pools keep their records. Each method is atomic: what it does is done as a whole or not at all, whoever else
 * uses the store. It rejects when the store cannot be reached, is damaged, or is of a later version. `testStore` of
 * `turn-limit/testing` tells whether a store of your own does what it must.
 */
export interface Store {
  /**
   * Settles and reserves. `within`: for how many milliseconds the caller waits for an answer. What is not done by
   * then must not be done any more.
   */
  take(take: Take, within?: number): Promise<Taken>;
  /**
   * Changes what holds for all members. What holds in every period is changed for all records of the pool. The record of a
   * run that is gone is not made anew by it. What a person changes is kept as a grant in the same step.
   */
  change(pool: string, change: Change, within?: number): Promise<Changed>;
  /** A record as it stands; `undefined` if there is none. */
  read(pool: string): Promise<PoolRecord | undefined>;
  /** A record as it stands, without its members. */
  look(pool: string): Promise<Look>;
  /**
   * Forgets a record, and with the only record of a pool without periods what holds for the pool. What holds in every period
   * of a pool is forgotten by a name of its own: `research@day`. `false`: there was nothing of that name.
   */
  delete(pool: string): Promise<boolean>;
  /** The names of all records of pools. */
  list(): Promise<string[]>;
  /** The records of all runs that are listed. One is gone as soon as it is over, or was silent for as long as its lease. */
  runs(): Promise<PoolRecord[]>;
  /** What persons decided, the last of it, in the order in which they did. */
  grants(): Promise<Grant[]>;
  /** Keeps what a run took that is over. Of each agent the last 500 are kept; one that is known already is not kept twice. */
  remember(run: EndedRun): Promise<void>;
  /** What the last runs of an agent took, in the order in which they were kept. What is damaged is left out. */
  pastRuns(agent: string): Promise<PastRun[]>;
  /** The store's time, in milliseconds. */
  now(): Promise<number>;
  /** Lets go of files and connections. */
  close(): Promise<void>;
}
