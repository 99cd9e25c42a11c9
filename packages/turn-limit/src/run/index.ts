/**
 * For people who adapt another host: the run that our own adapters use, and the turns and calls that it hands out.
 *
 * @module
 */
export { limitError } from "../core/governor/decision.ts";
export type { Model } from "../core/meter/model.ts";
export { cutOff as cutOffReason, notRun as notRunReason } from "../core/words.ts";
export type { SubAgent, TurnRequest } from "./agent.ts";
export type { Call, Refused, RunCall } from "./call.ts";
export { type Clock, systemClock } from "./clock.ts";
export type { History, ReadSettings, TellPerson } from "./history.ts";
export type { ListableRun, ListedPart, Listing } from "./listing.ts";
export type { ObservedCall, ObservedTurn, RunObserver, TurnEnd } from "./observer.ts";
export type { AdapterOptions } from "./options.ts";
export type { FindProgress, ProgressWatch } from "./progress.ts";
export { Run, type RunControl, type RunSettings } from "./run.ts";
export type { RunInfo, RunStart } from "./run-info.ts";
export type { RunHost } from "./services.ts";
export type { SharedOfRun } from "./settlements.ts";
export type {
  BudgetSource,
  DrawingRun,
  Member,
  Reservation,
  SharedBudgets,
  WindowUse,
} from "./shared-budgets.ts";
export type { Turn, TurnAnswer, TurnStop } from "./turn.ts";
export type { Executed } from "./work.ts";
