import { anyFunction, check, text } from "../core/checks.ts";
import { InvalidLimit } from "../core/errors/invalid-limit.ts";
import { type Ask, type Reply, requireReply } from "../core/governor/decision.ts";
import { type Max, questionOf } from "../core/limits/boundary.ts";
import { isWholeKind } from "../core/limits/kinds.ts";
import type { SingleLimit } from "../core/limits/limit.ts";
import { pause } from "../run/pause.ts";
import { processName, type RunInfo } from "../run/run-info.ts";
import type { BudgetSource, DrawingRun, SharedBudgets } from "../run/shared-budgets.ts";
import { askWatchers } from "./ask-watchers.ts";
import { of } from "./ledger/amounts.ts";
import type { PoolQuestion } from "./ledger/pool-state.ts";
import { limited } from "./ledger/terms.ts";
import { Memberships } from "./memberships.ts";
import { PoolDefinition } from "./pool-definition.ts";
import type { PoolOptions } from "./pool-options.ts";
import { type PoolStanding, standingOf } from "./pool-standing.ts";

/** Who asks: a run, or anybody with an id and a name. */
type Asker = Pick<RunInfo, "member"> | AskerByName;

type AskerByName = Pick<PoolQuestion, "id" | "pid" | "set"> & { name?: string };

const requireSignal = check<AbortSignal>(
  (value) =>
    typeof Object(value).aborted === "boolean" && typeof Object(value).addEventListener === "function",
  "an AbortSignal",
);

/**
 * A budget that several runs draw from: sub-agents, processes, machines, a whole day. Made by `createPool`, and given to
 * adapters beside their own limits.
 */
export class Pool implements BudgetSource {
  readonly id: string;
  readonly #definition: PoolDefinition;

  constructor(definition: PoolDefinition) {
    this.id = definition.id;
    this.#definition = definition;
  }

  /** The limits that hold a run which draws from it. */
  get sharedLimits(): SingleLimit[] {
    return this.#definition.sharedLimits;
  }

  /** Makes the part of a run in these pools. The run calls it. */
  join(sources: readonly BudgetSource[], run: DrawingRun): SharedBudgets {
    return new Memberships(sources, Pool.definitionsOf, run);
  }

  /** Where it stands now. */
  async read(): Promise<PoolStanding> {
    const pool = this.#definition;
    const span = await pool.currentSpan();
    const record = await pool.store.read(pool.recordIn(span));
    if (record) pool.requireAgreement(record.state);
    const { subscription } = pool.options;
    return standingOf({ id: this.id, period: span?.name, subscription }, record, pool.ownMaxima);
  }

  /** Calls back with where it stands, now and whenever that has changed, until the signal is aborted. */
  async watch(changed: (standing: PoolStanding) => void, signal: AbortSignal): Promise<void> {
    anyFunction(changed, "changed");
    requireSignal(signal, "signal");
    let before: string | undefined;
    while (!signal.aborted) {
      const standing = await this.read();
      const now = JSON.stringify(standing);
      if (now !== before && !signal.aborted) changed(standing);
      before = now;
      await pause(this.#definition.options.lookEvery, signal);
    }
  }

  /** Admits this much more of a limit, such as `cost`, for everyone, until the period ends or it is reset. */
  async extend(limit: string, by: Max, key?: string): Promise<void> {
    await this.#definition.change(this.#definition.extension(limit, by), key);
  }

  /** Takes back everything that was admitted in addition. */
  async endExtension(limit: string): Promise<void> {
    const { measure } = this.#definition.requireLimit(limit);
    await this.#definition.change({ kind: "end-extension", measure });
  }

  /** Holds every member before its next turn. */
  async freeze(why = "It was frozen by hand."): Promise<void> {
    await this.#definition.change({ kind: "freeze", why: text(why, "why") });
  }

  async unfreeze(): Promise<void> {
    await this.#definition.change({ kind: "unfreeze" });
  }

  /** Nothing is used any more, and nothing is allowed in addition. What members hold, they go on holding. */
  async reset(): Promise<void> {
    await this.#definition.change({ kind: "reset" });
  }

  /**
   * Forgets the pool with all its periods: what is used, what was allowed, questions, a freeze and what was recorded of it.
   * Members at work are told once that its counts are gone, and start over. `false`: there was none.
   */
  async delete(): Promise<boolean> {
    return this.#definition.delete();
  }

  /**
   * Records the maximum, the time zone and `keepFor` of this pool as those that hold for everyone. Members that say
   * otherwise get an error from then on.
   */
  async redefine(): Promise<void> {
    await this.#definition.change({ kind: "terms", terms: limited(this.#definition.terms) });
  }

  /** Replies to a question. `false`: somebody else has, or it is no longer asked. Throws `InvalidLimit` for a bad reply. */
  async answer(question: string, reply: Reply): Promise<boolean> {
    const checked = requireReply(reply, typeof reply === "object" && (await this.#asksForWhole(question)));
    return (await this.#definition.change({ kind: "answer", question, reply: checked })).made;
  }

  async #asksForWhole(question: string): Promise<boolean> {
    const totals = await this.#definition.look();
    const identity = of(totals?.state.questions, question)?.identity;
    return identity !== undefined && isWholeKind(identity);
  }

  /**
   * Asks whoever watches the pool, for example by `npx turn-limit pools`. To be given to an adapter: the first reply
   * counts; no reply in time is a no.
   *
   * @example
   * limitToolLoop({ turns: 25, pool, ask: pool.ask });
   */
  readonly ask = async (asked: Ask, signal: AbortSignal, run?: Asker): Promise<Reply | undefined> => {
    const id = crypto.randomUUID();
    const asker: AskerByName | undefined = run && "member" in run ? run.member : run;
    const { pid, set } = asker ?? {};
    const question = {
      ...questionOf(asked),
      ...{ id, member: asker?.id ?? id, name: asker?.name ?? processName() },
      ...(pid !== undefined && { pid }),
      ...(set !== undefined && { set }),
    };
    return askWatchers(this.#definition, question, signal);
  };

  /** What these pools are made from. Throws `InvalidLimit` for a source that is no pool. */
  static definitionsOf(this: void, sources: readonly BudgetSource[]): PoolDefinition[] {
    return sources.map((source) => {
      if (source instanceof Pool) return source.#definition;
      throw new InvalidLimit("pool", source, "a pool made by createPool, or a list of them");
    });
  }
}

/**
 * Makes a pool, or joins it: pools with the same id in the same store are the same.
 *
 * @example
 * const pool = createPool({ id: "research", cost: 20, per: "day", store: sqliteStore("budgets.sqlite") });
 * await runAgent(limitToolLoop({ turns: 25, pool }));
 */
export function createPool(options: PoolOptions): Pool {
  return new Pool(new PoolDefinition(options));
}
