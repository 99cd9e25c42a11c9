import type { Reply } from "../../core/governor/decision.ts";
import type { AskedAbout } from "../../core/limits/boundary.ts";
import { of } from "../ledger/amounts.ts";
import { type ListedRun, type ParkedRun, runIdOf, runRecord } from "../ledger/listed-run.ts";
import type { PoolQuestion } from "../ledger/pool-state.ts";
import type { PoolRecord, Store } from "../ledger/store.ts";
import { keyed } from "../pool-definition.ts";

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
  readonly parked: ParkedRun;
  /** What it asks, with the reply if there is one. `undefined`: it was parked by a process that ended while it did. */
  readonly question: PoolQuestion | undefined;
  /** When it is forgotten, in the store's time. */
  readonly until: number;
}

/** Parks a run: its record stays without a process that renews it, and its question stays open. */
export async function parkRun(store: Store, { id, name, run, question }: RunToPark): Promise<void> {
  const record = runRecord(id);
  const at = await store.now();
  const asked = crypto.randomUUID();
  const parked = { ...run.parked, question: asked };
  const listed: ListedRun = { ...run, state: "parked", since: at, active: at, parked };
  await store.take({
    pool: record,
    member: { id, name, run: listed },
    ...{ incarnation: Date.now() * 100, turn: 1, answered: 0, heard: 0, used: {} },
    ...{ lease: PARKED_FOR, keepFor: PARKED_FOR },
  });
  await store.change(record, keyed({ kind: "ask", question: { ...question, id: asked, member: id, name } }));
}

/** The runs that are parked in a store, those that were parked last first. */
export async function parkedRuns(store: Store): Promise<Parked[]> {
  const parked = (await store.runs()).flatMap((record) => parkedIn(record) ?? []);
  return parked.sort((one, other) => other.run.active - one.run.active);
}

/**
 * Takes a run that is parked out of the store. Of several that do it at once, one is told `true`. Who comes late is told
 * `false`, also if the run was resumed and parked again since it was found: that is another question, and another state.
 */
export async function takeParked(store: Store, { record, parked }: Parked): Promise<boolean> {
  const found = await store.read(record);
  if (!found || parkedIn(found)?.parked.question !== parked.question) return false;
  return store.delete(record);
}

/** Puts a run back that was taken and could not go on, with the reply that its question had. */
export async function putBack(store: Store, taken: Parked, reply: Reply | undefined): Promise<void> {
  const { id, name, run, parked, question } = taken;
  const asked = question ?? { limit: "", used: 0, max: 0 };
  await parkRun(store, { id, name, run: { ...run, parked }, question: asked });
  if (reply === undefined) return;
  const found = await store.read(taken.record);
  const again = found && parkedIn(found)?.parked.question;
  if (again !== undefined)
    await store.change(taken.record, keyed({ kind: "answer", question: again, reply }));
}

function parkedIn({ pool, members, state }: PoolRecord): Parked | undefined {
  const member = members.find(({ isPresent }) => isPresent);
  const { run, name = "" } = member ?? {};
  if (!run?.parked) return undefined;
  return {
    id: runIdOf(pool),
    record: pool,
    name,
    run,
    parked: run.parked,
    question: of(state.questions, run.parked.question),
    until: run.active + PARKED_FOR,
  };
}
