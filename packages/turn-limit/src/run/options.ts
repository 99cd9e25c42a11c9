import { anyFunction, check, isPlainObject, optional } from "../core/checks.ts";
import { InvalidLimit, unknownSetting } from "../core/errors/invalid-limit.ts";
import type { Ask, Reply } from "../core/governor/decision.ts";
import type { Outcome } from "../core/governor/outcome.ts";
import {
  type CompleteSettings,
  type GovernorSettings,
  KIND_NAMES,
  requireSettings,
} from "../core/governor/settings.ts";
import type { Extension } from "../core/limits/policy.ts";
import type { Model } from "../core/meter/model.ts";
import type { Usage } from "../core/meter/usage.ts";
import type { Clock } from "./clock.ts";
import type { Listing } from "./listing.ts";
import { type RunObserver, requireObserver } from "./observer.ts";
import { type FindProgress, type ProgressWatch, requireProgress } from "./progress.ts";
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
  /**
   * Did the run get somewhere since its round began? Called at the boundary of a limit that may be extended. What
   * `turn-limit/progress` makes looks at the files of a folder, or runs a command.
   */
  progress?: FindProgress | ProgressWatch | undefined;
  /** Called when a run has ended. */
  onOutcome?: ((outcome: Outcome, run: RunInfo) => void) | undefined;
  /**
   * What an answer of this model costs, in US dollars, where the host does not say. Default: not known. `turn-limit/prices`
   * has one for the models that people use.
   */
  price?: ((usage: Usage, model?: Model) => number | undefined) | undefined;
  /** Is told what happens, as it happens: see `turn-limit/otel`. */
  observe?: RunObserver | undefined;
  /** Called with what a person should know. Default: `console.warn`, each message once. */
  onWarning?: ((message: string) => void) | undefined;
  /** Budgets that other runs draw from, too: one, or several. Made by `createPool`. */
  pool?: BudgetSource | readonly BudgetSource[] | undefined;
  /** Where the run is listed while it works, so that it can be seen, answered and stopped from elsewhere. Made by `listIn`. */
  listed?: Listing | undefined;
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

const optionalListing = optional(
  check<Listing>((value) => typeof Object(value).open === "function", "a listing, made by listIn"),
  undefined,
);

const FUNCTIONS = ["ask", "onOutcome", "price", "onWarning"] as const;
const KNOWN = [
  ...KIND_NAMES,
  "limits",
  "tell",
  "synthesisMessage",
  "finalTool",
  "sameCall",
  ...FUNCTIONS,
  "progress",
  "observe",
  "pool",
  "listed",
  "clock",
];

/** Checks the names and the functions of the options. The governor checks the limits. */
export function requireAdapterOptions(options: AdapterOptions): AdapterOptions {
  if (!isPlainObject(options)) throw new InvalidLimit("options", options, "an object with limits");
  for (const [name, value] of Object.entries(options))
    if (!KNOWN.includes(name)) throw unknownSetting(name, value, KNOWN);
  for (const name of FUNCTIONS) optionalFunction(options[name], name);
  requireProgress(options.progress);
  requireObserver(options.observe);
  optionalClock(options.clock, "clock");
  requireSources(options.pool, "pool");
  optionalListing(options.listed, "listed");
  return options;
}

/** Checks that it can be found out whether a run got somewhere, if a limit may be extended for it. */
export function requireProgressFor(
  settings: CompleteSettings,
  progress: AdapterOptions["progress"],
): CompleteSettings {
  const mayExtend = (limit: unknown) => (limit as Partial<Extension>).extend;
  const isNeeded = KIND_NAMES.some((name) => mayExtend(settings[name])) || settings.limits.some(mayExtend);
  if (!isNeeded || progress) return settings;
  throw new InvalidLimit("progress", progress, "a function, by which a limit with extend is extended");
}

/** The options, checked and complete: a copy, which stays as it is whatever becomes of what was given. */
export function ownOptions(given: AdapterOptions): AdapterOptions {
  const { ask, progress, onOutcome, price, observe, onWarning, pool, listed, clock, ...settings } =
    requireAdapterOptions(given);
  const { canAsk: _, ...limits } = requireProgressFor(requireSettings(settings), progress);
  const functions = { ask, progress, onOutcome, price, observe, onWarning };
  return { ...limits, ...functions, pool: requireSources(pool, "pool"), listed, clock };
}
