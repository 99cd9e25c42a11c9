import { messageOf } from "../../core/errors/message-of.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { pause } from "../../run/until-aborted.ts";
import { type PoolView, readPools, readRuns } from "../pools/pool-view.ts";
import { History } from "./history.ts";
import type { News, SeenGrant, SeenPool } from "./news.ts";
import { seenGrant } from "./seen-grant.ts";
import { seenPool } from "./seen-pool.ts";

/** Is told everything, as one event for all who look. */
export type Viewer = (event: Buffer) => void;

/** How often the store is looked at, in milliseconds: for viewers, and for nobody, so that the last hour is known. */
const LOOK_EVERY = 100;
const LOOK_UNSEEN_EVERY = 10_000;
/** At most this share of the time is spent on looking. */
const MOST = 0.1;
/** So many decisions are shown, and read again at least so often, in milliseconds. */
const SHOWN_GRANTS = 50;
const GRANTS_EVERY = 10_000;

interface Known {
  readonly text: string;
  readonly used: string;
  /** What persons may have changed. */
  readonly decided: string;
  readonly seen: SeenPool;
}

/** Looks at the pools and runs of a store for everybody who watches: what it costs does not depend on how many they are. */
export class Room {
  readonly #store: Store;
  readonly #viewers = new Set<Viewer>();
  readonly #history = new History();
  readonly #over = new AbortController();
  readonly #looking: Promise<void>;
  #wake = new AbortController();
  #pools = new Map<string, Known>();
  #grants: SeenGrant[] = [];
  #grantsReadAt = 0;
  #problem: string | undefined;

  constructor(store: Store) {
    this.#store = store;
    this.#looking = this.#lookOnAndOn();
  }

  /** How many watch. */
  get viewers(): number {
    return this.#viewers.size;
  }

  /** Tells a viewer all that is known, and then what changes, until the function that is returned is called. */
  watch(viewer: Viewer): () => void {
    this.#viewers.add(viewer);
    viewer(this.#all());
    if (this.#problem !== undefined) viewer(eventOf({ kind: "problem", message: this.#problem }));
    this.look();
    return () => this.#viewers.delete(viewer);
  }

  /** Looks now, because something was changed or somebody came. */
  look(): void {
    this.#wake.abort();
  }

  /** Looks once more, so that viewers are told how it ended, and then no longer. */
  async close(): Promise<void> {
    this.#over.abort();
    await this.#looking;
    if (this.#viewers.size > 0) await this.#lookOnce();
  }

  async #lookOnAndOn(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      this.#wake = new AbortController();
      const began = performance.now();
      await this.#lookOnce();
      const took = performance.now() - began;
      const every = this.#viewers.size > 0 ? LOOK_EVERY : LOOK_UNSEEN_EVERY;
      await pause(Math.max(every, took / MOST - took), AbortSignal.any([signal, this.#wake.signal]));
    }
  }

  async #lookOnce(): Promise<void> {
    try {
      const [pools, runs] = await Promise.all([readPools(this.#store, false), readRuns(this.#store)]);
      await this.#tellChanges([...pools, ...runs]);
      if (this.#problem !== undefined) this.#tell(this.#all());
      this.#problem = undefined;
    } catch (error) {
      const message = messageOf(error);
      if (message !== this.#problem) this.#tell(eventOf({ kind: "problem", message }));
      this.#problem = message;
    }
  }

  async #tellChanges(pools: readonly PoolView[]): Promise<void> {
    const now = Date.now();
    const changed: Known[] = [];
    let isDecided = now - this.#grantsReadAt >= GRANTS_EVERY;
    const records = new Set(pools.map(({ record }) => record));
    for (const pool of pools) {
      const before = this.#pools.get(pool.record);
      const used = JSON.stringify(pool.use);
      const since = before?.used === used ? before.seen.since : now;
      const seen = seenPool(pool, since, this.#history.note(pool, now));
      const text = JSON.stringify(seen);
      if (text === before?.text) continue;
      const after = { text, used, decided: decidedIn(seen), seen };
      isDecided ||= after.decided !== before?.decided;
      this.#pools.set(pool.record, after);
      changed.push(after);
    }
    const gone = [...this.#pools.keys()].filter((record) => !records.has(record));
    for (const record of gone) this.#pools.delete(record);
    this.#history.keepOnly(records);
    const grants = isDecided || gone.length > 0 ? await this.#newGrants(now) : undefined;
    if (changed.length === 0 && gone.length === 0 && !grants) return;
    const others = JSON.stringify({ gone, ...(grants && { grants }) }).slice(1);
    this.#tell(asEvent(`{"kind":"changed","pools":[${textsOf(changed)}],${others}`));
  }

  // Read only when somebody may have decided something.
  async #newGrants(now: number): Promise<SeenGrant[] | undefined> {
    const grants = (await this.#store.grants()).slice(-SHOWN_GRANTS).map(seenGrant).reverse();
    this.#grantsReadAt = now;
    if (JSON.stringify(grants) === JSON.stringify(this.#grants)) return undefined;
    this.#grants = grants;
    return grants;
  }

  // Put together from what is written already, since many may come at once.
  #all(): Buffer {
    const others = JSON.stringify({ now: Date.now(), grants: this.#grants }).slice(1);
    return asEvent(`{"kind":"all","pools":[${textsOf([...this.#pools.values()])}],${others}`);
  }

  #tell(event: Buffer): void {
    for (const viewer of this.#viewers) viewer(event);
  }
}

function decidedIn({ frozen, questions, limits, run }: SeenPool): string {
  return JSON.stringify([frozen, questions.map(({ id }) => id), limits.map(({ max }) => max), run?.stopped]);
}

function textsOf(known: readonly Known[]): string {
  return known.map(({ text }) => text).join(",");
}

function eventOf(news: News): Buffer {
  return asEvent(JSON.stringify(news));
}

function asEvent(news: string): Buffer {
  return Buffer.from(`data: ${news}\n\n`);
}
