import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { Boundary, Stop } from "turn-limit";
import { reachedText, wordsFor } from "../ui/limit-words.ts";

/** Why the run was stopped, in a few words. */
export function stopTitle(stop: Stop): string {
  const { limit, max, outcome } = stop;
  if (outcome !== "limit-overrun")
    return limit === "steps" ? `Step limit exceeded (${max}).` : reachedText(stop);
  const what = limit === "steps" ? "tool calls were executed" : "requests were sent";
  return `Stopped: more ${what} than the limit admits (${stop.used}/${max}).`;
}

/** Why the run was stopped, and what to do about it. */
export function stopReason(stop: Stop): string {
  if (stop.outcome === "limit-overrun") return `${stopTitle(stop)} This is a defect: please report it.`;
  if (stop.outcome === "declined") return `${stopTitle(stop)} Stopped by you.`;
  return `${stopTitle(stop)} ${remedy(stop)}`;
}

/** The empty answer that Pi makes up for an aborted turn, saying why instead of that "an operation was aborted". */
export function explained(message: AssistantMessage, reason: string): AssistantMessage {
  return { ...message, stopReason: "aborted", errorMessage: reason };
}

function remedy({ limit, unpriced }: Boundary): string {
  if (unpriced) return 'Use a model with a price, or another "unpriced" of "cost" in turn-limit.json.';
  const { flag, env } = wordsFor(limit);
  const setting = limit.startsWith("tools.") ? "tools" : limit;
  const ways = [...(flag ? [`--${flag}`] : []), ...(env ? [env] : []), `"${setting}" in turn-limit.json`];
  return `To allow more, use ${ways.length > 1 ? `${ways.slice(0, -1).join(", ")} or ${ways.at(-1)}` : ways[0]}.`;
}
