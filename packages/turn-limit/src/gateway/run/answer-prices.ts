import type { Model } from "../../core/meter/model.ts";
import { isMeasured, type Usage } from "../../core/meter/usage.ts";
import type { AdapterOptions } from "../../run/adapter-options.ts";

type Price = NonNullable<AdapterOptions["price"]>;

/** What the answers of a run cost. A function that fails must not keep them from being counted. */
export class AnswerPrices {
  readonly #price: Price | undefined;
  readonly #warn: (message: string) => void;
  #isFailureTold = false;
  /** Was something asked or answered whose price is not known? */
  isUnknown = false;
  /** The model that was last. */
  unpricedModel: string | undefined;

  constructor(price: Price | undefined, warn: (message: string) => void) {
    this.#price = price;
    this.#warn = warn;
  }

  /** Where prices are looked up. `undefined`: nowhere. */
  get lookedUp(): Price | undefined {
    return this.#price && ((usage, model) => this.of(usage, model));
  }

  /** What an answer costs, if that is known. */
  of(usage: Usage, model: Model | undefined): number | undefined {
    const { cost, failure } = this.#asked(usage, model);
    if (cost !== undefined) return cost;
    if (usage.input + usage.output > 0) {
      this.isUnknown = true;
      this.unpricedModel = model?.id;
    }
    if (failure !== undefined && !this.#isFailureTold) {
      this.#isFailureTold = true;
      this.#warn(`"price" failed, so what answers cost is not known: ${failure}`);
    }
    return undefined;
  }

  #asked(usage: Usage, model: Model | undefined): { cost?: number; failure?: string } {
    try {
      const cost = this.#listed(usage, model);
      if (cost === undefined) return {};
      return isMeasured(cost) ? { cost } : { failure: `it returned ${cost}` };
    } catch (error) {
      return { failure: `it threw ${error}` };
    }
  }

  // A provider that is not listed may serve models that are.
  #listed(usage: Usage, model: Model | undefined): number | undefined {
    const listed = this.#price?.(usage, model);
    return listed ?? (model?.provider === undefined ? undefined : this.#price?.(usage, { id: model.id }));
  }
}
