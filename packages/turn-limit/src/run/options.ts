import { anyFunction, check, isPlainObject, list, optional } from "../core/checks.ts";
import { InvalidLimit, unknownSetting } from "../core/errors/invalid-limit.ts";
import type { Ask, Reply } from "../core/governor/decision.ts";
import type { Outcome } from "../core/governor/outcome.ts";
import {
  type CompleteSettings,
  type GovernorSettings,
  KIND_NAMES,
  requireSettings,
} from "../core/governor/settings.ts";
import type { SettingsFromHistory } from "../core/history/percentile-settings.ts";
import type { LimitIdentity } from "../core/limits/boundary.ts";
import { TOOLS } from "../core/limits/kinds.ts";
import type { Limit } from "../core/limits/limit.ts";
import type { Extension } from "../core/limits/policy.ts";
import type { Model } from "../core/meter/model.ts";
import type { Usage } from "../core/meter/usage.ts";
import type { Clock } from "./clock.ts";
import type { History, ReadSettings } from "./history.ts";
import type { Listing } from "./listing.ts";
import { type RunObserver, requireObserver } from "./observer.ts";
import { type FindProgress, type ProgressWatch, requireProgress } from "./progress.ts";
import type { RunInfo } from "./run-info.ts";
import type { BudgetSource } from "./shared-budgets.ts";
import { requireSources } from "./shared-port.ts";

/** What a run takes besides its limits. */
interface BesideLimits {
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

/** What every run takes: the limits, and a person to ask. */
export interface RunOptions extends Omit<GovernorSettings, "canAsk">, BesideLimits {}

/** What every adapter takes: the same, and limits may be chosen from what earlier runs took. */
export interface AdapterOptions extends Omit<SettingsFromHistory, "canAsk">, BesideLimits {
  /**
   * What earlier runs took: limits such as `turns: "p90"` or `cost: "p75 up to $5"` are chosen from it, before the first turn
   * of each run, and runs that are over are kept in it. Made by `historyIn`.
   */
  history?: History | undefined;
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

const HISTORY_METHODS = ["read", "readAgain", "withMaxima", "choose", "remember"] as const;
const optionalHistory = optional(
  check<History>(
    (value) => HISTORY_METHODS.every((name) => typeof Object(value)[name] === "function"),
    "a history, made by historyIn",
  ),
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
  "history",
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
  optionalHistory(options.history, "history");
  return options;
}

/** Reads the limits, of which some may have to be chosen. Without a history there are no such limits. */
export function readSettings(given: SettingsFromHistory, history: History | undefined): ReadSettings {
  if (history) return history.read(given);
  for (const name of KIND_NAMES) {
    const limit: unknown = given[name];
    if (name !== "tools") refusePercentile(limit, name);
    else for (const [tool, one] of Object.entries(Object(limit))) refusePercentile(one, TOOLS + tool);
  }
  return { settings: given as GovernorSettings, limits: [] };
}

// The engine checks each of them.
const optionalLimits = optional(
  list((limit) => limit as Limit),
  [],
);

/** The limits of the list in the settings. */
export function ownLimits({ limits }: GovernorSettings): readonly Limit[] {
  return optionalLimits(limits, "limits");
}

function refusePercentile(limit: unknown, name: string): void {
  const max: unknown = isPlainObject(limit) ? limit.max : limit;
  if (typeof max !== "string" || !/^p\s*[0-9]/i.test(max)) return;
  const why = `${name}.max is ${JSON.stringify(max)}, and there is no history to choose it from`;
  const instead = 'Add the option history: historyIn(store, { agent: "…" }), or write a number';
  throw new InvalidLimit(`${name}.max`, max, "a number, where there is no history", `${why}. ${instead}`);
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
  const { ask, progress, onOutcome, price, observe, onWarning, pool, listed, history, clock, ...settings } =
    requireAdapterOptions(given);
  const read = readSettings(settings, history);
  const { canAsk: _, ...limits } = requireProgressFor(requireSettings(read.settings), progress);
  const functions = { ask, progress, onOutcome, price, observe, onWarning };
  const own = { ...limits, ...functions, pool: requireSources(pool, "pool"), listed, history, clock };
  // Each run chooses anew.
  return history ? history.withMaxima(own, asWritten(read)) : own;
}

function asWritten({ limits }: ReadSettings): { identity: LimitIdentity; max: string }[] {
  return limits.map(({ identity, text }) => ({ identity, max: text }));
}
