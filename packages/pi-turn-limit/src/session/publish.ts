import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Boundary, Max, Outcome, Usage } from "turn-limit";

/** What the entry that a touched run leaves in the session is called. */
export const OUTCOME = "turn-limit:outcome";

/** A limit was hit. Sent to other extensions as `turn-limit:boundary`. */
export interface BoundaryEvent {
  limit: string;
  used: number;
  max: Max;
  /** Is a person being asked, is the run being stopped, or does it end with an answer made without tools? */
  action: "ask" | "stop" | "synthesize";
}

/** A run ended. Sent to other extensions, and kept in the session if a limit touched the run. */
export interface OutcomeRecord {
  outcome: Outcome["kind"];
  /** The limit that ended the run, or made it end early, if one did. */
  limit?: string;
  turns: number;
  rounds: number;
  steps: number;
  maxTurns: Max;
  maxSteps: Max;
  /** Tokens, and US dollars where prices are known. */
  usage?: Usage;
  /** Milliseconds, without those in which a person was waited for. */
  time?: number;
  /** Is `usage.cost` not all of it, because a model had no price? Only said where there is a cost limit. */
  unpriced?: true;
}

export function publishBoundary(
  pi: ExtensionAPI,
  { kind, limit, used, max }: Boundary & { kind: BoundaryEvent["action"] },
): void {
  const event: BoundaryEvent = { limit, used, max, action: kind };
  pi.events.emit("turn-limit:boundary", event);
}

export function publishOutcome(pi: ExtensionAPI, { kind, touched, ...counts }: Outcome): void {
  const record: OutcomeRecord = { outcome: kind, ...counts };
  if (touched) pi.appendEntry(OUTCOME, record);
  pi.events.emit(OUTCOME, record);
}
