import type { Reading } from "../core/meter/meter.ts";
import type { Amounts } from "./ledger/amounts.ts";
import type { PooledLimit } from "./pool-definition.ts";
import { toUnits, usedUnits } from "./units.ts";

/** From how many answers the next one is estimated. */
const RECENT = 5;

/** What the next answers of a run are expected to take, by what the last ones took. */
export class Estimate {
  readonly #recent = new Map<string, number[]>();
  #since: Reading;

  constructor(since: Reading) {
    this.#since = since;
  }

  /** Learns from what was used by now. `answers`: how many there were since it last did. */
  learn(measured: readonly PooledLimit[], now: Reading, answers: number): void {
    if (answers === 0) return;
    for (const { measure, limit } of measured) {
      const used = usedUnits(measure, limit.usedBetween(this.#since, now));
      if (used > 0)
        this.#recent.set(measure, [...(this.#recent.get(measure) ?? []), used / answers].slice(-RECENT));
    }
    this.#since = now;
  }

  /** What this number of turns at once will take. `configured`: what an answer takes, where that was said. */
  expected(
    measured: readonly PooledLimit[],
    turns: number,
    configured: Readonly<Record<string, number | undefined>>,
  ): Amounts {
    if (turns === 0) return {};
    return Object.fromEntries(
      measured.map(({ measure }) => {
        const said = configured[measure];
        const recent = this.#recent.get(measure) ?? [];
        const average = recent.reduce((all, one) => all + one, 0) / Math.max(1, recent.length);
        return [measure, turns * Math.ceil(said === undefined ? average : toUnits(measure, said))];
      }),
    );
  }
}
