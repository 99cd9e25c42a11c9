import type { AskedAbout } from "../../core/limits/boundary.ts";
import { of } from "../ledger/amounts.ts";
import { type ListedRun, type ParkedRun, runIdOf, runRecord } from "../ledger/listed-run.ts";
import type { PoolQuestion } from "../ledger/pool-state.ts";
import type { Holder, Resumption } from "../ledger/resumption.ts";
import type { PoolRecord, Store } from "../ledger/store.ts";
import { type KeylessChange, keyed } from "../pool-definition.ts";
import { untilInTime } from "../until-in-time.ts";

/** How long a parked run is kept, in milliseconds. */
export const PARKED_FOR = 30 * 86_400_000;

/** A run to be parked, and what it asks. */
export interface RunToPark {
  readonly id: string;
  readonly name: string;
  readonly run: Omit<ListedRun, "state" | "since" | "active" | "parked"> & {
    readonly parked: Omit<ParkedRun, "question">;
  };
  readonly question: Pick<PoolQuestion, keyof AskedAbout>;
}

/** A run that is parked in a store. */
export interface Parked extends Omit<RunToPark, "run" | "question"> {
  readonly record: string;
  readonly run: ListedRun;
  /** How to go on with it: from where it was parked, or from where an earlier process that went on with it ended. */
  readonly parked: ParkedRun;
  /** What it asks, with the reply if there is one. `undefined`: it was parked by a process that ended while it did. */
  readonly question: PoolQuestion | undefined;
  /** Was the reply used before that process ended? */
  readonly isReplyUsed: boolean;
  /** Who goes on with it, or did until that process ended. */
  readonly holder: Holder | undefined;
  /** When it is forgotten, and when it was read, in the store's time. */
  readonly until: number;
  readonly now: number;
}

/**
 * Parks a run: its record stays without a process that renews it, and its question stays open. One that went on from a parked
 * run, and has its id, is parked in its place: whenever the process ends meanwhile, one of the two is in the store.
 */
export async function parkRun(store: Store, { id, name, run, question }: RunToPark): Promise<void> {
  const record = runRecord(id);
  const at = await store.now();
  const asked = crypto.randomUUID();
  const parked = { ...run.parked, question: asked };
  const listed: ListedRun = { ...run, state: "parked", since: at, active: at, parked };
  const change = (change: KeylessChange) => store.change(record, keyed(change));
  const ask = { kind: "ask", question: { ...question, id: asked, member: id, name } } as const;
  const before = await resumptionIn(store, record);
  if (before) await change(ask);
  let incarnation = nextIncarnation();
  await untilInTime(async () => {
    const taken = await store.take({
      pool: record,
      member: { id, name, run: listed },
      ...{ incarnation, turn: 1, answered: 0, heard: 0, used: {} },
      ...{ lease: PARKED_FOR, keepFor: PARKED_FOR },
    });
    // The clock was set back.
    incarnation = taken.incarnation + 1;
    return taken.kind === "late" ? undefined : taken;
  });
  if (before?.holder) await change({ kind: "let-go", holder: before.holder.id, isOver: true });
  else await change(ask);
}

let lastIncarnation = 0;

// A request with the number of the last one would be taken for the same.
function nextIncarnation(): number {
  lastIncarnation = Math.max(Date.now() * 100, lastIncarnation + 1);
  return lastIncarnation;
}

async function resumptionIn(store: Store, record: string): Promise<Resumption | undefined> {
  return (await store.look(record)).totals?.state.resumption;
}

/** The runs that are parked in a store, those that were parked last first, also those with which a process goes on. */
export async function parkedRuns(store: Store): Promise<Parked[]> {
  const parked = (await store.runs()).flatMap((record) => parkedIn(record) ?? []);
  return parked.sort((one, other) => other.run.active - one.run.active);
}

/** For how many milliseconds a process holds a run, unless it says again that it does. */
export const HELD_FOR = 30_000;

/**
 * Takes a run that is parked, in one step: of several that do it at once, one gets it, with the answer that its question has
 * then. Its record stays until the run is over. `undefined`: somebody else has it, or it was parked again since it was found,
 * with another question and another state.
 */
export async function takeParked(
  store: Store,
  { id, record, parked }: Parked,
  holder: Omit<Holder, "until"> = { id: crypto.randomUUID() },
): Promise<HeldRun | undefined> {
  const { question } = parked;
  const { made } = await store.change(record, keyed({ kind: "resume", question, holder, within: HELD_FOR }));
  if (!made) return undefined;
  const found = await store.read(record);
  const held = found && parkedIn(found);
  return held?.id === id && held.holder?.id === holder.id ? new HeldRun(store, held, holder.id) : undefined;
}

/** The record of a run that was parked, and with which this process goes on. */
export class HeldRecord {
  readonly #store: Store;
  readonly #record: string;
  readonly #holder: string;

  /** `run`: its id; `holder`: the id by which it was taken. */
  constructor(store: Store, run: string, holder: string) {
    this.#store = store;
    this.#record = runRecord(run);
    this.#holder = holder;
  }

  /**
   * Goes on holding it. `saved`: what the run knows by now, for whoever goes on if this process ends. `false`: somebody else
   * has it, or it was parked anew.
   */
  async hold(more: Pick<HoldChange, "process" | "saved"> = {}): Promise<boolean> {
    const { made } = await this.#change({ kind: "hold", holder: this.#holder, within: HELD_FOR, ...more });
    return made;
  }

  /** Leaves it parked. */
  async letGo(): Promise<boolean> {
    const { made } = await this.#change({ kind: "let-go", holder: this.#holder });
    return made;
  }

  /** The run is over. If it was parked anew, or somebody else has it, that stays. */
  async remove(): Promise<boolean> {
    return (await this.hold()) && this.#store.delete(this.#record);
  }

  #change(change: KeylessChange) {
    return this.#store.change(this.#record, keyed(change));
  }
}

/** A run that was parked, and with which this process goes on. */
export class HeldRun extends HeldRecord {
  /** The run as it was taken. */
  readonly parked: Parked;

  constructor(store: Store, parked: Parked, holder: string) {
    super(store, parked.id, holder);
    this.parked = parked;
  }
}

type HoldChange = Extract<KeylessChange, { kind: "hold" }>;

/** Frees a run whose holder has ended without saying so. */
export async function freeParked(store: Store, { record, holder }: Parked): Promise<boolean> {
  if (!holder) return true;
  return (await store.change(record, keyed({ kind: "let-go", holder: holder.id }))).made;
}

function parkedIn({ pool, members, state, now }: PoolRecord): Parked | undefined {
  const member = members.find(({ isPresent }) => isPresent);
  const { run, name = "" } = member ?? {};
  if (!run?.parked) return undefined;
  const { parked } = run;
  const { resumption } = state;
  // A process that parks it anew may have ended before it let go of it.
  const saved = resumption?.question === parked.question ? resumption.saved : undefined;
  return {
    id: runIdOf(pool),
    record: pool,
    name,
    run,
    parked: saved ? { ...parked, state: saved.state } : parked,
    isReplyUsed: saved?.isReplyUsed ?? false,
    holder: resumption?.holder,
    question: of(state.questions, parked.question),
    until: run.active + PARKED_FOR,
    now,
  };
}
