import { anyFunction, check, isPlainObject, optional } from "../core/checks.ts";
import { InvalidLimit, unknownSetting } from "../core/errors/invalid-limit.ts";
import type { Ask, Reply } from "../core/governor/decision.ts";
import type { Outcome } from "../core/governor/outcome.ts";
import { type GovernorSettings, KIND_NAMES, requireSettings } from "../core/governor/settings.ts";
import type { Model } from "../core/meter/model.ts";
import type { Usage } from "../core/meter/usage.ts";
import type { Clock } from "./clock.ts";
import type { RunInfo } from "./run-info.ts";
import type { BudgetSource } from "./shared-budgets.ts";
import { requireSources } from "./shared-port.ts";

/** What every adapter takes: the limits, and a person to ask. */
export interface AdapterOptions extends Omit<GovernorSettings, "canAsk"> {
  /**
   * Asks a person at the boundary of a run. Without it, `headless` is used. Throwing, or no reply, is a no. The signal
   * is aborted when the question is withdrawn, because a reply would no longer decide anything.
   */
  ask?:
    | ((question: Ask, signal: AbortSignal, run: RunInfo) => Reply | undefined | Promise<Reply | undefined>)
    | undefined;
  /** Called when a run has ended. */
  onOutcome?: ((outcome: Outcome, run: RunInfo) => void) | undefined;
  /**
   * What an answer of this model costs, in US dollars, where the host does not say. Default: not known. `turn-limit/prices`
   * has one for the models that people use.
   */
  price?: ((usage: Usage, model?: Model) => number | undefined) | undefined;
  /** Called with what a person should know. Default: `console.warn`, each message once. */
  onWarning?: ((message: string) => void) | undefined;
  /** Budgets that other runs draw from, too: one, or several. Made by `createPool`. */
  pool?: BudgetSource | readonly BudgetSource[] | undefined;
  /** Default: the system's clock. */
  clock?: Clock | undefined;
}

const optionalFunction = optional(anyFunction, undefined);
const optionalClock = optional(
  check<Clock>((value) => {
    const { now, after } = (value ?? {}) as Partial<Clock>;
    return typeof now === "function" && typeof after === "function";
  }, "an object with now() and after()"),
  undefined,
);

const FUNCTIONS = ["ask", "onOutcome", "price", "onWarning"] as const;
const KNOWN = [...KIND_NAMES, "limits", "synthesisMessage", ...FUNCTIONS, "pool", "clock"];

/** Checks the names and the functions of the options. The governor checks the limits. */
export function requireAdapterOptions(options: AdapterOptions): AdapterOptions {
  if (!isPlainObject(options)) throw new InvalidLimit("options", options, "an object with limits");
  for (const [name, value] of Object.entries(options))
    if (!KNOWN.includes(name)) throw unknownSetting(name, value, KNOWN);
  for (const name of FUNCTIONS) optionalFunction(options[name], name);
  optionalClock(options.clock, "clock");
  requireSources(options.pool, "pool");
  return options;
}

/** The options, checked and complete: a copy, which stays as it is whatever becomes of what was given. */
export function ownOptions(given: AdapterOptions): AdapterOptions {
  const { ask, onOutcome, price, onWarning, pool, clock, ...settings } = requireAdapterOptions(given);
  const { canAsk: _, ...limits } = requireSettings(settings);
  return { ...limits, ask, onOutcome, price, onWarning, pool: requireSources(pool, "pool"), clock };
}
