import type { Limits, Returned } from "./agent-call.ts";
import type { GovernedRun } from "./governed-run.ts";

// A run that waits for a person may never be resumed, and nobody says so.
const MOST = 1_000;

interface OpenRun {
  run: GovernedRun;
  /** Does it wait for a person, as far as can be seen? Otherwise it is at work. */
  waits(): boolean;
}

const limitsOfRuns = new Map<string, Limits>();

/** The limits of a run that waits under this id: it is resumed under them also where nobody says so. */
export function limitsOfRun(id: string | undefined): Limits | undefined {
  return id === undefined ? undefined : limitsOfRuns.get(id);
}

/** The runs that have not ended, by the host's id: one that waits for a person goes on with the budget that it has. */
export class OpenRuns {
  readonly #runs = new Map<string, OpenRun>();

  /** The run that waits under this id. It is going on now. */
  resume(id: string | undefined): GovernedRun | undefined {
    const open = id === undefined ? undefined : this.#runs.get(id);
    if (open) open.waits = () => false;
    return open?.run;
  }

  /** Remembers a run until it ends. If there are too many, the one that has waited longest for a person ends. */
  keep(result: Returned, run: GovernedRun, limits: Limits): void {
    const { runId: id } = result;
    if (id === undefined || run.progress.isOver) return;
    const known = new WeakRef(result);
    this.#forget(id);
    this.#runs.set(id, { run, waits: () => isSuspended(known.deref()) });
    limitsOfRuns.set(id, limits);
    run.progress.whenOver = () => this.#forget(id);
    if (this.#runs.size > MOST) this.#endLongestWaiting();
  }

  #forget(id: string): void {
    this.#runs.delete(id);
    limitsOfRuns.delete(id);
  }

  #endLongestWaiting(): void {
    for (const [id, { run, waits }] of this.#runs) {
      if (!waits()) continue;
      this.#forget(id);
      run.progress.abandon();
      return;
    }
  }
}

// Only a stream has a status. Without one, the run has not ended but the host has returned, so it is suspended; and a
// stream that is gone is not read by anybody.
function isSuspended(result: Returned | undefined): boolean {
  return (result?.status ?? "suspended") === "suspended";
}
