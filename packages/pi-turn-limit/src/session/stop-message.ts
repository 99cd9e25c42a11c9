import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { Stop } from "turn-limit";
import { reachedText, remedyText } from "../display/limit-words.ts";
import { limitCalled } from "../limits/pi-limits.ts";

/** Why the run was stopped, in a few words. */
export function stopTitle(stop: Stop): string {
  const { max, outcome } = stop;
  const { exceeded, overrun = "was done" } = limitCalled(stop.limit);
  if (outcome !== "limit-overrun") return exceeded?.(max) ?? reachedText(stop);
  return `Stopped: more ${overrun} than the limit admits (${stop.used}/${max}).`;
}

/** Why the run was stopped, and what to do about it. */
export function stopReason(stop: Stop): string {
  if (stop.outcome === "limit-overrun") return `${stopTitle(stop)} This is a defect: please report it.`;
  if (stop.outcome === "declined") return `${stopTitle(stop)} Stopped by you.`;
  return `${stopTitle(stop)} ${remedyText(stop)}`;
}

/** The empty answer that Pi makes for an aborted turn, with the reason instead of "This operation was aborted". */
export function explained(message: AssistantMessage, reason: string): AssistantMessage {
  return { ...message, stopReason: "aborted", errorMessage: reason };
}
