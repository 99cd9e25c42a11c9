import { isPlainObject } from "../../core/checks.ts";
import type { Model } from "../../core/meter/model.ts";
import { isMeasured, type Usage } from "../../core/meter/usage.ts";
import type { RunOptions } from "../../run/options.ts";
import type { Warnings } from "../../run/warnings.ts";
import { modelOf } from "./forwarded-request.ts";
import type { CountedRequest } from "./verdict.ts";

type Price = NonNullable<RunOptions["price"]>;

/** What the answers of a run cost. A function that fails must not keep them from being counted. */
export class AnswerPrices {
  readonly #price: Price | undefined;
  readonly #warnings: Warnings;
  /** Does it matter which model a request names? */
  readonly needModel: boolean;
  /** Is a part of the cost unknown, although there are prices? */
  isUnknown = false;
  /** The last model without a price. */
  unpricedModel: string | undefined;

  /** `namesModels`: is a person told of a model without a price, although there are no prices? */
  constructor(price: Price | undefined, namesModels: boolean, warnings: Warnings) {
    this.#price = price;
    this.needModel = price !== undefined || namesModels;
    this.#warnings = warnings;
  }

  /**
   * Is there a price for this model? A request that names none is answered by one that does. `hasOutput`: is there output
   * that it has to have a price for?
   */
  has(model: Model | undefined, hasOutput: boolean): boolean {
    if (this.#price && !model) return true;
    return this.of({ input: 1, output: hasOutput ? 1 : 0 }, model) !== undefined;
  }

  /** Is there a price for the model that the request names? Where it does not matter which one that is, there is. */
  hasPriceFor({ asked, protocol, provider }: CountedRequest): boolean {
    return !this.needModel || this.has(modelOf(asked?.model, provider), protocol !== undefined);
  }

  /** The first of these models that has a price for this usage, else the first. */
  priced(usage: Usage, models: readonly Model[]): Model | undefined {
    return models.find((model) => this.#lookUp(usage, model) !== undefined) ?? models[0];
  }

  /** What an answer costs. `undefined`: that is not known. */
  of(usage: Usage, model: Model | undefined): number | undefined {
    const cost = this.#lookUp(usage, model);
    if (cost === undefined && usage.input + usage.output > 0) {
      this.isUnknown = this.#price !== undefined;
      this.unpricedModel = model?.id;
    }
    return cost;
  }

  #lookUp(usage: Usage, model: Model | undefined): number | undefined {
    const failed = (why: string) =>
      this.#warnings.warn(`"price" failed, so what answers cost is not known: ${why}`);
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

/** Behind the gateway nothing is sent to a model without a price, unless a token limit holds it or that is wanted. */
export function withoutPriceByTokens(cost: NonNullable<RunOptions["cost"]>): RunOptions["cost"] {
  const settings = isPlainObject(cost) ? cost : { max: cost };
  return { unpriced: "tokens", ...settings };
}
