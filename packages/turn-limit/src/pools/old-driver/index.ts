/**
 * For people who adapt another host: the driver that our own adapters use.
 *
 * @module
 */
export { limitError } from "../../core/governor/decision.ts";
export { cutOff as cutOffReason, notRun as notRunReason } from "../../core/governor/wording.ts";
export type { Model } from "../../core/meter/model.ts";
export { type Clock, systemClock } from "../../run/clock.ts";
export type { AdapterOptions } from "../../run/options.ts";
export type { RunInfo } from "../../run/run-info.ts";
export { type Admission, Driver, type DriverHost } from "./driver.ts";
export type { Executed } from "./work.ts";
