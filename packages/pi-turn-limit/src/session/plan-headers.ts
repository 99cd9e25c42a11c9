import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { TurnAnswer } from "turn-limit/adapter";
import type { SessionBudgets } from "../agents/session-budgets.ts";
import { cannotHold, windowsIn } from "../core.ts";
import { say } from "../display/say.ts";

type Windows = NonNullable<TurnAnswer["windows"]>;

/** What the headers of answers tell of the windows of a subscription, where they are limited. */
export class PlanHeaders {
  readonly #ctx: ExtensionContext;
  readonly #budgets: SessionBudgets;
  /** Those of the answer that is under way. */
  #windows: Windows = [];
  /** The windows that an answer told of, and those of which the person knows that none did. */
  readonly #told = new Set<string>();
  readonly #isSaid = new Set<string>();

  constructor(ctx: ExtensionContext, budgets: SessionBudgets) {
    this.#ctx = ctx;
    this.#budgets = budgets;
  }

  /** The headers of an answer are there. */
  came(headers: Readonly<Record<string, string>>): void {
    if (this.#budgets.windows.length > 0) this.#windows = windowsIn(headers);
  }

  /** What the answer told, now that it is over; `undefined` where no window is limited. */
  take(hasFailed: boolean): Windows | undefined {
    const { windows: limited } = this.#budgets;
    const windows = this.#windows;
    this.#windows = [];
    if (limited.length === 0) return undefined;
    for (const { window } of windows) this.#told.add(window);
    // Of an answer that failed it is not known whether it would have told of them.
    if (!hasFailed) for (const window of limited) this.#sayUnlessTold(window, windows);
    return windows;
  }

  // A limit that nobody tells of would hold nothing.
  #sayUnlessTold(window: string, windows: Windows): void {
    if (this.#told.has(window) || this.#isSaid.has(window)) return;
    this.#isSaid.add(window);
    say(this.#ctx, cannotHold(`plan per ${window}`, windows), "warning");
  }
}
