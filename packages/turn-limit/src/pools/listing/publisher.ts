import type { ExtensionRound } from "../../core/governor/run-state.ts";
import type { ListableRun } from "../../run/listing.ts";
import type { Grant } from "../ledger/grants.ts";
import type { PoolState } from "../ledger/pool-state.ts";
import type { Store, Take, Taken } from "../ledger/store.ts";
import { type KeylessChange, keyed } from "../pool-definition.ts";
import { SerialQueue } from "../serial-queue.ts";
import { untilInTime } from "../until-in-time.ts";
import type { CheckedListing } from "./list-in.ts";
import { activityOf, type RunPlace, snapshotOf } from "./run-snapshot.ts";

/** How long a run may be silent before it is gone, and after how long it says again that it is there, in milliseconds. */
const LEASE = 60_000;
const RENEW_EVERY = 20_000;
/** What a store has not done by then, it must not do any more. */
const WITHIN = 5_000;

/** What holds for a record. `asked`: higher than for what was asked before. */
export interface Heard {
  readonly state: PoolState;
  readonly asked: number;
}

/** Says in the record of a run where it stands, one request after the other. */
export class Publisher {
  readonly record: string;
  readonly #open: () => Promise<Store>;
  readonly #options: CheckedListing;
  readonly #place: RunPlace;
  readonly #queue = new SerialQueue();
  #incarnation = Date.now() * 100;
  #turn = 0;
  #asked = 0;
  /** What was said last, and when. */
  #said = { text: "", at: -Infinity };
  /** How far the store's time is ahead of this process's. */
  #ahead: number | undefined;
  #since = 0;
  #active = { what: "", at: 0 };
  #isRemoved = false;
  /** How many extensions are not in the store yet. */
  #toKeep = 0;

  constructor(open: () => Promise<Store>, record: string, options: CheckedListing) {
    this.#open = open;
    this.record = record;
    this.#options = options;
    this.#place = placeOf(options);
  }

  /** Was it ever said where the run stands, and not taken back? */
  get isListed(): boolean {
    return this.#said.at > -Infinity;
  }

  /** What the run is called. */
  nameOf(run: ListableRun): string {
    return this.#options.name ?? run.member.name;
  }

  workBegins(): void {
    this.#since = this.#active.at = Date.now();
    this.#isRemoved = false;
  }

  /**
   * Says where the run stands, if that has changed or was not said for long; otherwise, if `isDue`, only looks what others
   * want of it.
   */
  publish(run: ListableRun, isDue: boolean): Promise<Heard | undefined> {
    return this.#queue.add(async () => {
      if (this.#isRemoved) return undefined;
      const store = await this.#open();
      this.#ahead ??= (await store.now()) - Date.now();
      if (this.#isRemoved) return undefined;
      const member = this.#memberOf(run, this.#ahead);
      const text = JSON.stringify(member);
      if (text === this.#said.text && performance.now() - this.#said.at < RENEW_EVERY) {
        if (!isDue) return undefined;
        const heard = await this.look();
        // Otherwise the store was emptied, or this process slept for longer than its lease.
        if (heard) return heard;
      }
      return this.#report(store, member, text);
    });
  }

  async #report(store: Store, member: Take["member"], text: string): Promise<Heard> {
    this.#said = { text, at: performance.now() };
    const asked = this.#nextAsked();
    const { state, now } = await this.#say(store, member);
    this.#ahead = now - Date.now();
    return { state, asked };
  }

  // `ahead`: the store's time, of that of this process.
  #memberOf(run: ListableRun, ahead: number): Take["member"] {
    const seen = snapshotOf(run, this.#place);
    const what = activityOf(seen);
    if (what !== this.#active.what) this.#active = { what, at: Date.now() };
    const moments = { since: this.#since + ahead, active: this.#active.at + ahead };
    return { id: run.member.id, name: this.nameOf(run), run: { ...seen, ...moments } };
  }

  // After one with a later clock it comes as a later one.
  #say(store: Store, member: Take["member"]): Promise<Taken> {
    return untilInTime(async () => {
      this.#turn += 1;
      const taken = await store.take(
        {
          pool: this.record,
          member,
          ...{ incarnation: this.#incarnation, turn: this.#turn, answered: 0, heard: 0, used: {} },
          ...{ lease: LEASE, keepFor: LEASE },
        },
        WITHIN,
      );
      if (taken.kind !== "late") return taken;
      this.#incarnation = taken.incarnation + 1;
      return undefined;
    });
  }

  async look(): Promise<Heard | undefined> {
    const asked = this.#nextAsked();
    const { totals } = await (await this.#open()).look(this.record);
    return totals && { state: totals.state, asked };
  }

  #nextAsked(): number {
    this.#asked += 1;
    return this.#asked;
  }

  /** A limit was extended without a question. The run is in the store by then, and is not taken off the list before. */
  async extended(run: ListableRun, round: ExtensionRound): Promise<void> {
    this.#toKeep += 1;
    try {
      await this.#queue.add(async () => {
        const keep = () =>
          this.change({ kind: "round", round, person: { where: "by itself", to: this.nameOf(run) } });
        if (this.isListed && (await keep()).made) return;
        const store = await this.#open();
        const ahead = (await store.now()) - Date.now();
        // It says everything again with the next beat, which hears what others want of it.
        await this.#report(store, this.#memberOf(run, ahead), "");
        await keep();
      });
    } finally {
      this.#toKeep -= 1;
    }
  }

  async change(change: KeylessChange, key?: string) {
    return (await this.#open()).change(this.record, keyed(change, key), WITHIN);
  }

  /** What persons decided about this run. */
  async grants(): Promise<Grant[]> {
    return (await (await this.#open()).grants()).filter(({ record }) => record === this.record);
  }

  /** The run is no longer listed. `undefined`: it never was. */
  remove(): Promise<void> | undefined {
    this.#isRemoved = true;
    if (!this.isListed && this.#toKeep === 0) return undefined;
    return this.#queue.add(async () => {
      this.#said = { text: "", at: -Infinity };
      await (await this.#open()).delete(this.record);
    });
  }
}

function placeOf({ agent, folder }: CheckedListing): RunPlace {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> };
  const works = folder ?? process?.cwd?.();
  const host = process?.getBuiltinModule?.("node:os").hostname();
  return {
    agent,
    ...(works !== undefined && { folder: works }),
    ...(host !== undefined && { host }),
    ...(process?.pid !== undefined && { pid: process.pid }),
  };
}
