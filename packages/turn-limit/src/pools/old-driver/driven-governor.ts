import { isPlainObject } from "../../core/checks.ts";
import type { GovernorOptions } from "../../core/governor/engine.ts";
import { Governor } from "../../core/governor/governor.ts";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { GovernorSettings } from "../../core/governor/settings.ts";
import type { SingleLimit } from "../../core/limits/limit.ts";
import type { Reservation } from "./run-pools.ts";

/** What a driver does about changes that are made to its governor. */
export interface Changes {
  /** Makes a change, and sees to the question and the timer. */
  make(change: () => void): void;
  /** The limits of the pools that the run draws from. */
  poolLimits(): readonly SingleLimit[];
  /** A call that was admitted takes no step. `reserved`: what pools granted for it. */
  stepDenied(reserved: Reservation | undefined): void;
}

/**
 * A governor that lets its driver make changes, because the question, the timer and pools may have to change too. `canAsk`
 * stays as it is, unless the settings name it.
 */
export class DrivenGovernor extends Governor {
  readonly #changes: Changes;
  readonly #canAsk: boolean | undefined;
  /** What pools granted for calls that were admitted, by their ids. */
  readonly #reserved = new Map<string, Reservation>();

  constructor(options: GovernorOptions, changes: Changes) {
    super({ ...options, limits: [...(options.limits ?? []), ...changes.poolLimits()] });
    this.#changes = changes;
    this.#canAsk = options.canAsk;
  }

  override configure(settings: GovernorSettings): void {
    // Anything else is refused by the governor.
    const complete = isPlainObject(settings)
      ? {
          ...settings,
          canAsk: settings.canAsk ?? this.#canAsk,
          limits: withoutShared(settings.limits ?? []).concat(this.#changes.poolLimits()),
        }
      : settings;
    this.#changes.make(() => super.configure(complete));
  }

  override prompt(): void {
    this.#changes.make(() => super.prompt());
  }

  override reset(): void {
    this.#changes.make(() => super.reset());
  }

  override allow(...allowed: Parameters<Governor["allow"]>): void {
    this.#changes.make(() => super.allow(...allowed));
  }

  override stepDenied(call: { id: string }): void {
    const before = this.view.totals.steps;
    super.stepDenied(call);
    if (this.view.totals.steps < before) this.#changes.stepDenied(this.#reserved.get(call.id));
  }

  override settled(byHostLimit?: boolean): Outcome | undefined {
    this.#reserved.clear();
    return super.settled(byHostLimit);
  }

  /** A call was admitted: should it be denied, the pools get back what they granted for it. */
  admitted(id: string | undefined, reserved: Reservation | undefined): void {
    if (id !== undefined && reserved) this.#reserved.set(id, reserved);
  }
}

// Settings that were read off the view have the limits of the pools in them.
function withoutShared(
  limits: NonNullable<GovernorSettings["limits"]>,
): NonNullable<GovernorSettings["limits"]>[number][] {
  return limits.filter((limit) => !("shared" in limit && limit.shared));
}
