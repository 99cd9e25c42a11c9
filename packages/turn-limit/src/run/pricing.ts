import type { GovernorView } from "../core/governor/view.ts";
import type { Model } from "../core/meter/model.ts";
import { requirePrice, requireUsage, type Usage } from "../core/meter/usage.ts";
import { unpricedText } from "../core/words.ts";
import type { AdapterOptions } from "./options.ts";
import type { Warnings } from "./warnings.ts";

const UNPRICED = `${unpricedText()} Say what it costs with "price", or what to do about it with "cost.unpriced".`;

const UNREPORTED =
  "Nothing was reported of what the answers take, so limits of tokens and of cost cannot hold the run.";

/** What answers cost, and what is said where that is not known. */
export class Pricing {
  readonly #price: AdapterOptions["price"];
  readonly #warnings: Warnings;
  readonly #unpriced: () => string;
  #model: Model | undefined;

  constructor(price: AdapterOptions["price"], warnings: Warnings, unpriced: () => string = () => UNPRICED) {
    this.#price = price;
    this.#warnings = warnings;
    this.#unpriced = unpriced;
  }

  /** The model of the last answer, as far as the host says. */
  get model(): Model | undefined {
    return this.#model;
  }

  /** The usage with its cost, if that is known. Throws `InvalidLimit` for bad numbers. */
  priced(given: Usage, model: Model | undefined): Usage {
    this.#model = model ?? this.#model;
    const usage = requireUsage(given, "usage");
    const cost = usage.cost ?? this.#price?.(usage, model);
    return cost === undefined ? usage : { ...usage, cost: requirePrice(cost, "price") };
  }

  /** Warns if a cost limit cannot hold the run. */
  warnIfUnpriced({ unpriced }: GovernorView): void {
    if (unpriced) this.#warnings.warn(this.#unpriced());
  }

  /** Can limits of tokens and cost hold the next turn? What a provider does not report must not go unnoticed. */
  isPriced({ unreported }: GovernorView, priced = true): boolean {
    if (unreported) this.#warnings.warn(UNREPORTED);
    return priced && !unreported;
  }
}
