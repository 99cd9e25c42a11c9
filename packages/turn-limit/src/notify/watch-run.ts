import type { Boundary } from "../core/limits/boundary.ts";
import { formatDuration } from "../core/measures/write-amounts.ts";
import { capitalised, limitTitle, standingText } from "../core/words.ts";
import { systemClock } from "../run/clock.ts";
import type { RunObserver } from "../run/observer.ts";
import type { Notifier } from "./notifier.ts";

/** What is told besides questions. */
export interface Occasions {
  /** 80 % of a budget. */
  readonly budget: boolean;
  readonly end: boolean;
  /** After how many milliseconds in which nothing happens. */
  readonly idle: number | undefined;
}

const NEARLY = 0.8;
const ROUNDING = 1e-9;

/** Watches a run for what is to be told while it works. `standings`: its limits, as they stand. */
export function watchRun(
  notifier: Pick<Notifier, "tell">,
  { budget, idle }: Occasions,
  standings: () => readonly Boundary[],
): RunObserver {
  const budgets = new Budgets(notifier);
  const idleness = new Idleness(notifier, idle);
  const underWay = () => idleness.begins();
  const over = () => {
    if (budget) budgets.look(standings());
    idleness.ends();
  };
  return {
    // Nothing is under way until the first request.
    runBegan: () => idleness.begin(),
    ...{ turnBegan: underWay, callBegan: underWay, asked: underWay },
    ...{ turnEnded: over, callEnded: over, replied: over },
    runEnded: () => idleness.stop(),
  };
}

/** Tells of each budget once that it is nearly used up, and again when that was no longer so. */
class Budgets {
  readonly #notifier: Pick<Notifier, "tell">;
  readonly #told = new Set<string>();

  constructor(notifier: Pick<Notifier, "tell">) {
    this.#notifier = notifier;
  }

  look(standings: readonly Boundary[]): void {
    for (const boundary of standings) {
      const { limit, identity, used, max } = boundary;
      if (max === "unlimited" || max === 0) continue;
      // 80 % of $7.00 are more than $5.60, in the arithmetic of computers.
      const isNearly = used >= max * NEARLY - ROUNDING * max;
      if (isNearly && !this.#told.has(limit)) {
        const text = `${capitalised(limitTitle(boundary))} nearly reached: ${standingText(boundary)}.`;
        this.#notifier.tell("budget", text, { limit, identity, used, max });
      }
      if (isNearly) this.#told.add(limit);
      else this.#told.delete(limit);
    }
  }
}

/** Tells when nothing has happened for a while, once each time. */
class Idleness {
  readonly #notifier: Pick<Notifier, "tell">;
  readonly #after: number | undefined;
  #underWay = 0;
  #cancel = () => {};

  constructor(notifier: Pick<Notifier, "tell">, after: number | undefined) {
    this.#notifier = notifier;
    this.#after = after;
  }

  begins(): void {
    this.#underWay += 1;
    this.#cancel();
  }

  ends(): void {
    this.#underWay = Math.max(0, this.#underWay - 1);
    this.#wait();
  }

  /** A run begins: nothing is under way yet. */
  begin(): void {
    this.#underWay = 0;
    this.#wait();
  }

  #wait(): void {
    const after = this.#after;
    if (after === undefined || this.#underWay > 0) return;
    this.#cancel();
    const tell = () =>
      this.#notifier.tell("idle", `Nothing has happened for ${formatDuration(after)}.`, { idle: after });
    this.#cancel = systemClock.after(after, tell);
  }

  stop(): void {
    this.#cancel();
    this.#underWay = 0;
  }
}
