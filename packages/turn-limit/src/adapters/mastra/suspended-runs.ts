import { OpenRuns } from "../shared/open-runs.ts";
import type { Limits, Returned } from "./agent-class.ts";
import type { GovernedRun } from "./governed-run.ts";

/** A run that the host has returned something for, and that has not ended by then. */
export class ReturnedRun {
  readonly run: GovernedRun;
  readonly limits: Limits;
  readonly #result: WeakRef<Returned>;
  isResumed = false;

  constructor(run: GovernedRun, limits: Limits, result: Returned) {
    this.run = run;
    this.limits = limits;
    this.#result = new WeakRef(result);
  }

  get isOver(): boolean {
    return this.run.progress.isOver;
  }

  // Only a stream has a status. Without one, the run has not ended but the host has returned, so it is suspended; and a
  // stream that is gone is not read by anybody.
  get waits(): boolean {
    return !this.isResumed && (this.#result.deref()?.status ?? "suspended") === "suspended";
  }

  /** What is a part of another run ends with that one. */
  abandon(): void {
    if (!this.run.progress.agent.isNested) this.run.end("aborted");
  }
}

const runs = new OpenRuns<ReturnedRun>();

/** The host returned this for a run under these limits, which may be suspended. */
export function keepUntilResumed(result: Returned, run: GovernedRun, limits: Limits): void {
  if (result.runId !== undefined && !run.progress.isOver)
    runs.keep(result.runId, new ReturnedRun(run, limits, result));
}

/** The run that waits under this id, if it is under these limits. It is going on now. */
export function resumedRun(id: string | undefined, limits: Limits): GovernedRun | undefined {
  const open = id === undefined ? undefined : runs.get(id);
  if (open?.limits !== limits) return undefined;
  open.isResumed = true;
  return open.run;
}

/** The limits of a run that waits under this id: it is resumed under them also where nobody says so. */
export function limitsOfRun(id: string | undefined): Limits | undefined {
  return id === undefined ? undefined : runs.get(id)?.limits;
}
