import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { Stop } from "turn-limit";

/** Why the run was stopped, and what to do about it. */
export function stopReason({ outcome, used, max }: Stop): string {
  const what = `Turn limit reached (${used}/${max}).`;
  return outcome === "declined"
    ? `${what} Stopped by you.`
    : `${what} To allow more, use --max-turns, PI_MAX_TURNS or "turns" in turn-limit.json.`;
}

/** The empty answer that Pi makes up for an aborted turn, saying why instead of that "an operation was aborted". */
export function explainStop(message: AssistantMessage, stop: Stop): AssistantMessage {
  return { ...message, stopReason: "aborted", errorMessage: stopReason(stop) };
}
