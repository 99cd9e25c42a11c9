import { messageOf } from "../../core/errors/message-of.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { pause } from "../../run/pause.ts";
import { type PoolView, readPools, readRuns } from "../pools/pool-view.ts";
import { History } from "./history.ts";
import type { News, SeenGrant, SeenPool } from "./news.ts";
import { seenGrant } from "./seen-grant.ts";
import { seenPool } from "./seen-pool.ts";

/** Receives server-sent events. Each is encoded once for all viewers. */
export type Viewer = (event: Buffer) => void;

/** How often to read the store, in milliseconds: with viewers, and without any, so that the last hour is known. */
const LOOK_EVERY = 100;
const LOOK_UNSEEN_EVERY = 10_000;
/** Reading takes at most this share of the time. */
const MOST = 0.1;
/** How many decisions to show, and how often to read them again at least, in milliseconds. */
const SHOWN_GRANTS = 50;
const GRANTS_EVERY = 10_000;

interface Known {
  readonly text: string;
  readonly used: string;
  /** What persons may have changed. */
  readonly decided: string;
  readonly seen: SeenPool;
}

/** Reads the pools and runs of a store once for all viewers: the cost does not depend on how many there are. */
export class StoreFeed {
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

  /** How many viewers there are. */
  get viewers(): number {
    return this.#viewers.size;
  }

  /** Sends a viewer everything that is known, then every change. Returns a function that ends it. */
  watch(viewer: Viewer): () => void {
    this.#viewers.add(viewer);
    viewer(this.#all());
    if (this.#problem !== undefined) viewer(eventOf({ kind: "problem", message: this.#problem }));
    this.look();
    return () => this.#viewers.delete(viewer);
  }

  /** Reads the store now, because something changed or a viewer came. */
  look(): void {
    this.#wake.abort();
  }

  /** Reads the store one last time, so that viewers see how it ended. */
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

  // Read only when somebody may have made a decision.
  async #newGrants(now: number): Promise<SeenGrant[] | undefined> {
    const grants = (await this.#store.grants()).slice(-SHOWN_GRANTS).map(seenGrant).reverse();
    this.#grantsReadAt = now;
    if (JSON.stringify(grants) === JSON.stringify(this.#grants)) return undefined;
    this.#grants = grants;
    return grants;
  }

  // Joined from texts that exist already, since many viewers may come at once.
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
