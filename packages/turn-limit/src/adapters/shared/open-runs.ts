// A run that waits for a person may never be resumed, and nobody says so.
const MOST = 1_000;

/** A run that may be resumed. */
interface OpenRun {
  readonly isOver: boolean;
  /** Does it wait for a person, as far as can be seen? Otherwise it is at work. */
  readonly waits: boolean;
  /** It is not going to be resumed. */
  abandon(): void;
}

/** The runs that have not ended, by an id: one that waits for a person goes on with the budget that it has. */
export class OpenRuns<Open extends OpenRun> {
  readonly #runs = new Map<string, Open>();

  get(id: string): Open | undefined {
    const run = this.#runs.get(id);
    return run?.isOver ? undefined : run;
  }

  /** Keeps a run until it ends. If there are too many, the one that has waited longest for a person ends. */
  keep(id: string, run: Open): void {
    for (const [known, { isOver }] of this.#runs) if (isOver || known === id) this.#runs.delete(known);
    this.#runs.set(id, run);
    if (this.#runs.size <= MOST) return;
    const longest = [...this.#runs].find(([known, { waits }]) => waits && known !== id);
    if (!longest) return;
    this.#runs.delete(longest[0]);
    longest[1].abandon();
  }
}
