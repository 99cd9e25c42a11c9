import type { BudgetSource } from "../../run/shared-budgets.ts";
import type { GatewayRunOptions } from "./options.ts";
import type { CountedRequest } from "./verdict.ts";

/** Pools in which another gateway counts what is sent to it. They are joined before a request goes elsewhere. */
export class OutsidePools {
  readonly #origin: string;
  /** All pools of the run, once these are joined. */
  readonly joined: readonly BudgetSource[];

  /** `own`: the pools that the run draws from in any case. */
  constructor({ origin, pools }: NonNullable<GatewayRunOptions["outside"]>, own: readonly BudgetSource[]) {
    this.#origin = origin;
    this.joined = [...own, ...pools];
  }

  /** Does the other gateway count this request? */
  sees({ upstream }: Pick<CountedRequest, "upstream">): boolean {
    return new URL(upstream).origin === this.#origin;
  }
}
