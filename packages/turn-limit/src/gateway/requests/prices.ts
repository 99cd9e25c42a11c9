import type { Model } from "../../core/meter/model.ts";
import { isMeasured, type Usage } from "../../core/meter/usage.ts";
import type { AdapterOptions } from "../../run/options.ts";

type Price = NonNullable<AdapterOptions["price"]>;

/** What the answers of a run cost. A function that fails must not keep them from being counted. */
export class AnswerPrices {
  readonly #price: Price | undefined;
  /** Is a part of the cost unknown? */
  isUnknown = false;
  /** The last model without a price. */
  unpricedModel: string | undefined;
  /** A warning, if looking up a price has failed. */
  problem: string | undefined;

  constructor(price: Price | undefined) {
    this.#price = price;
  }

  /** Looks up a price. `undefined`: there are no prices. */
  get lookedUp(): Price | undefined {
    return this.#price && ((usage, model) => this.#of(usage, model));
  }

  /** Is there a price for this model? Where no prices are known, none is missing. */
  has(model: Model | undefined): boolean {
    return !this.#price || !model || this.#of({ input: 1, output: 1 }, model) !== undefined;
  }

  /** A model has answered. */
  answered(model: Model | undefined): void {
    if (!this.#price) this.unpricedModel = model?.id;
  }

  #of(usage: Usage, model: Model | undefined): number | undefined {
    const cost = this.#lookUp(usage, model);
    if (cost === undefined && usage.input + usage.output > 0) {
      this.isUnknown = true;
      this.unpricedModel = model?.id;
    }
    return cost;
  }

  #lookUp(usage: Usage, model: Model | undefined): number | undefined {
    const failed = (why: string) => {
      this.problem ??= `"price" failed, so what answers cost is not known: ${why}`;
    };
    try {
      let cost = this.#price?.(usage, model);
      // A provider that is not listed may serve models that are.
      if (model?.provider !== undefined) cost ??= this.#price?.(usage, { id: model.id });
      if (cost === undefined || isMeasured(cost)) return cost;
      failed(`it returned ${cost}`);
    } catch (error) {
      failed(`it threw ${error}`);
    }
    return undefined;
  }
}
