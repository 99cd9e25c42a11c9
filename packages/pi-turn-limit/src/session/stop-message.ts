import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { Stop } from "turn-limit";

/** Why the run was stopped, in a few words. */
export function stopTitle({ limit, used, max }: Stop): string {
  return limit === "steps" ? `Step limit exceeded (${max}).` : `Turn limit reached (${used}/${max}).`;
}

/** Why the run was stopped, and what to do about it. */
export function stopReason(stop: Stop): string {
  if (stop.outcome === "declined") return `${stopTitle(stop)} Stopped by you.`;
  const [flag, variable] =
    stop.limit === "steps" ? ["max-steps", "PI_MAX_STEPS"] : ["max-turns", "PI_MAX_TURNS"];
  return `${stopTitle(stop)} To allow more, use --${flag}, ${variable} or "${stop.limit}" in turn-limit.json.`;
}

/** The empty answer that Pi makes up for an aborted turn, saying why instead of that "an operation was aborted". */
export function explainStop(message: AssistantMessage, stop: Stop): AssistantMessage {
  return { ...message, stopReason: "aborted", errorMessage: stopReason(stop) };
}
