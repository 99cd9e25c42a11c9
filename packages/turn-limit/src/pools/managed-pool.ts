import type { Reply } from "../core/governor/decision.ts";
import type { Max } from "../core/limits/boundary.ts";
import type { ByPerson } from "./ledger/grants.ts";
import type { Maxima } from "./ledger/store.ts";
import { Pool } from "./pool.ts";
import { PoolDefinition } from "./pool-definition.ts";
import type { PoolOptions } from "./pool-options.ts";
import { maxToUnits } from "./units.ts";

/** A pool of a program that does more with it than draw from it: it says what the pool admits, and leaves marks in it. */
export class ManagedPool extends Pool {
  readonly definition: PoolDefinition;

  constructor(definition: PoolDefinition) {
    super(definition);
    this.definition = definition;
  }

  /** Does it have a limit of this name? */
  has(limit: string): boolean {
    return this.definition.limits.some(({ limit: { name } }) => name === limit);
  }

  /** The owner says what the pool admits. */
  async admit(limits: Maxima): Promise<void> {
    const maxima = Object.entries(limits).map(([measure, max]) => [measure, maxToUnits(measure, max)]);
    await this.definition.change({ kind: "limits", limits: Object.fromEntries(maxima) });
  }

  /** A yes of a person: this much more of a limit, beyond what is used of it. */
  async allow(limit: string, by: Max): Promise<void> {
    await this.definition.change(this.definition.allowance(limit, by));
  }

  /** Answers a question, as {@link answer} does, with what is kept of the person who replied. */
  async answerBy(person: ByPerson | undefined, question: string, reply: Reply): Promise<boolean> {
    return (await this.definition.change({ kind: "answer", question, reply, ...(person && { person }) }))
      .made;
  }

  /** Marks that something was done for everyone. `false`: it was before, in this period. */
  async mark(mark: string): Promise<boolean> {
    return (await this.definition.change({ kind: "mark", mark })).made;
  }

  /** Ends the extension that was made with another maximum. One made with this pool's own maximum stays. */
  async endExtensionOfAnother(limit: string): Promise<void> {
    const { measure } = this.definition.requireLimit(limit);
    const totals = await this.definition.look();
    if (totals && totals.state.limits[measure] !== this.definition.ownMaxima?.[measure])
      await this.endExtension(limit);
  }
}

/** Makes a pool, or joins it. Each member says for itself how much it admits. */
export function managedPool(options: PoolOptions): ManagedPool {
  return new ManagedPool(new PoolDefinition(options, "member"));
}

/** A pool of which another process says how much it admits. */
export function joinPool(options: PoolOptions): ManagedPool {
  return new ManagedPool(new PoolDefinition(options, "owner"));
}
