import type { Model } from "../../core/meter/model.ts";
import { isMeasured, type Usage } from "../../core/meter/usage.ts";
import type { AdapterOptions } from "../../run/options.ts";

type Price = NonNullable<AdapterOptions["price"]>;

/** What the answers of a run cost. A function that fails must not keep them from being counted. */
export class AnswerPrices {
  readonly #price: Price | undefined;
  #problem: string | undefined;
  #isUnknown = false;
  #unpricedModel: string | undefined;

  constructor(price: Price | undefined) {
    this.#price = price;
  }

  /** Is a part of the cost unknown? */
  get isUnknown(): boolean {
    return this.#isUnknown;
  }

  /** The last model without a price. */
  get unpricedModel(): string | undefined {
    return this.#unpricedModel;
  }

  /** A warning, if looking up a price has failed. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Looks up a price. `undefined`: there are no prices. */
  get lookedUp(): Price | undefined {
    return this.#price && ((usage, model) => this.of(usage, model));
  }

  /** Is there a price for this model? Where no prices are known, none is missing. */
  has(model: Model | undefined): boolean {
    return !this.#price || !model || this.of({ input: 1, output: 1 }, model) !== undefined;
  }

  /** A model has answered. */
  answered(model: Model | undefined): void {
    if (!this.#price) this.#unpricedModel = model?.id;
  }

  /** What an answer costs, if that is known. */
  of(usage: Usage, model: Model | undefined): number | undefined {
    const cost = this.#asked(usage, model);
    if (cost === undefined && usage.input + usage.output > 0) {
      this.#isUnknown = true;
      this.#unpricedModel = model?.id;
    }
    return cost;
  }

  #asked(usage: Usage, model: Model | undefined): number | undefined {
    try {
      const cost = this.#listed(usage, model);
      if (cost === undefined || isMeasured(cost)) return cost;
      this.#failed(`it returned ${cost}`);
    } catch (error) {
      this.#failed(`it threw ${error}`);
    }
    return undefined;
  }

  #failed(why: string): void {
    this.#problem ??= `"price" failed, so what answers cost is not known: ${why}`;
  }

  // A provider that is not listed may serve models that are.
  #listed(usage: Usage, model: Model | undefined): number | undefined {
    const listed = this.#price?.(usage, model);
    return listed ?? (model?.provider === undefined ? undefined : this.#price?.(usage, { id: model.id }));
  }
}
