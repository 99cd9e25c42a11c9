import { existsSync } from "node:fs";
import { hostname } from "node:os";
import type { Store } from "../../pools/ledger/store.ts";
import { freeParked, type Parked, parkedRuns } from "../../pools/listing/parked-runs.ts";
import { isRunning } from "../../pools/listing/process-mark.ts";
import { type CommandError, cannotBeDone } from "../command-error.ts";
import { isBeginningOf } from "../run-ids.ts";

/** The parked run with this id, or the only one whose id begins like this. */
export async function findParked(store: Store, wanted: string): Promise<Parked> {
  const all = await parkedRuns(store);
  const exact = all.find(({ id }) => id === wanted);
  const begun = all.filter(({ id }) => isBeginningOf(id, wanted));
  const found = exact ?? (begun.length === 1 ? begun[0] : undefined);
  if (found) return found;
  const known = all.length === 0 ? "None is." : `These are: ${all.map(({ id }) => id).join(", ")}.`;
  throw cannotBeDone(`${JSON.stringify(wanted)} is not parked here. ${known}`);
}

/** The error for somebody who comes too late to go on with a parked run, or to forget it. */
export function resumedElsewhere(id: string): CommandError {
  return cannotBeDone(`${id} has just been resumed, or forgotten, by somebody else.`);
}

/** Does a process go on with it? It does not if that has ended, also if it was killed. */
export function isResumed({ run, holder, now }: Parked): boolean {
  if (!holder) return false;
  const isHere = run.host === undefined || run.host === hostname();
  // Where it cannot be known whether a process runs, it has to say so itself.
  return (isHere && holder.process ? isRunning(holder.process) : undefined) ?? now < holder.until;
}

/** Frees a run with which no process goes on any more. Throws if one does. */
export async function freeIfLeft(store: Store, parked: Parked): Promise<void> {
  const { pid } = parked.holder?.process ?? {};
  if (isResumed(parked))
    throw cannotBeDone(`${parked.id} goes on already${pid === undefined ? "" : `, by process ${pid}`}.`);
  await freeParked(store, parked);
}

/** The place of a reply given by resuming, as it follows "Answered". */
export const BY_RESUMING = "with turn-limit resume";

/** Is it a run of Pi, whose extension holds it to its limits? */
export function holdsItself({ parked }: Parked): boolean {
  return parked.options.length === 0;
}

/** Why a parked run cannot be resumed here. `undefined`: it can. */
export function notHere({ id, run: { folder, host } }: Parked): string | undefined {
  if (host !== undefined && host !== hostname())
    return `${id} was parked on ${host}, where its session is. Resume it there.`;
  if (folder !== undefined && !existsSync(folder)) return `${id} was parked in ${folder}, which is gone.`;
  return undefined;
}
