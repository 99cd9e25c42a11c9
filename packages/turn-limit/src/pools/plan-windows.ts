import { isReached, labelOf } from "../core/limits/boundary.ts";
import type { Reading } from "../core/meter/meter.ts";
import type { DrawingRun, WindowUse } from "../run/shared-budgets.ts";
import { sum } from "./ledger/amounts.ts";
import type { PoolState } from "./ledger/pool-state.ts";
import { isOfPlan, readingName } from "./ledger/readings.ts";
import type { KeylessChange, PoolDefinition, PooledLimit } from "./pool-definition.ts";
import type { PoolStore } from "./stores/with-timeout.ts";
import { fromUnits, maxFromUnits, toUnits } from "./units.ts";

/** In the record of this name is what providers told of the windows of subscriptions, for all runs of a person. */
export const SUBSCRIPTIONS = "subscriptions";

type Extension = KeylessChange & { kind: "extend" };

/** What a run knows of the windows of a subscription: their usage is told by its provider, and not counted. */
export class PlanWindows {
  readonly #run: Pick<DrawingRun, "observe" | "reading" | "warn">;
  readonly #store: PoolStore;
  /** The windows of which an answer told. */
  readonly #told = new Set<string>();
  /** Those of which nothing is left. */
  readonly #usedUp = new Set<string>();

  constructor(run: DrawingRun, store: PoolStore) {
    this.#run = run;
    this.#store = store;
  }

  /** Is nothing left of one of them? */
  get isUsedUp(): boolean {
    return this.#usedUp.size > 0;
  }

  /** What an answer told. The limits of windows that no answer told of cannot hold. */
  async read(pool: PoolDefinition, windows: readonly WindowUse[]): Promise<void> {
    const wanted = pool.limits.filter(({ measure }) => isOfPlan(measure));
    if (wanted.length === 0) return;
    const readings = windows.map(({ subscription, window, used, resets }) => {
      const measure = labelOf({ kind: "plan", per: window });
      this.#told.add(measure);
      return [readingName(subscription, measure), { used: toUnits(measure, used), resets }] as const;
    });
    for (const { measure, limit } of wanted)
      if (!this.#told.has(measure)) this.#run.warn(cannotHold(limit.name, windows));
    if (readings.length === 0) return;
    const since = this.#run.reading;
    const change = { kind: "readings", readings: Object.fromEntries(readings) } as const;
    const changed = await pool.change(change, undefined, this.#store);
    for (const limit of wanted) {
      const told = readings.filter(([name]) => name.endsWith(` ${limit.measure}`));
      if (told.some(([, { resets }]) => changed.now - resets > CLOCKS_DIFFER))
        this.#run.warn(isOver(limit.limit.name));
      this.observe(pool, limit, changed, since);
    }
  }

  /** Tells the run where the limit of a window stands. */
  observe(
    pool: PoolDefinition,
    { measure, limit }: PooledLimit,
    { state, now }: { state: PoolState; now: number },
    since: Reading,
  ): void {
    const { resets, ...units } = pool.windowAt(measure, state, now);
    const [used, max] = [fromUnits(measure, units.used), maxFromUnits(measure, units.max)];
    if (isReached(used, max)) this.#usedUp.add(measure);
    else this.#usedUp.delete(measure);
    this.#run.observe(limit.name, { used, max, ...(resets !== undefined && { until: resets }) }, since);
  }

  /** What is allowed holds for the subscription that is used up, and is beyond what is used of it. */
  async extension(pool: PoolDefinition, { measure, by }: Extension): Promise<Extension> {
    const { totals, now } = await pool.lookNow(this.#store);
    const { name = measure, used, max } = totals ? pool.windowAt(measure, totals.state, now) : NOTHING;
    const over = max === "unlimited" ? 0 : Math.max(0, used - max);
    return { kind: "extend", measure: name, by: sum(by, over) };
  }
}

/** A window that has just started over is told of as it was. */
const CLOCKS_DIFFER = 60_000;

/** What a person is told of a limit whose window is over by the clock of the store, though an answer has just told of it. */
function isOver(limit: string): string {
  return `The limit of ${limit} cannot hold: by the clock here, its window was over before the answer came. Set that clock right.`;
}

const NOTHING = { name: undefined, used: 0, max: 0 };

/** What a person is told of a limit that the answers tell nothing of. */
export function cannotHold(limit: string, windows: readonly WindowUse[]): string {
  const told = [...new Set(windows.map(({ window }) => window))].join(", ");
  const missing = told === "" ? "say nothing of a plan" : `do not say how much of it is used, but of ${told}`;
  return `The limit of ${limit} cannot hold: the answers of the provider ${missing}.`;
}
