import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Ask, Outcome, Stop } from "turn-limit";

/** A limit was hit. Sent to other extensions as `turn-limit:boundary`. */
export interface BoundaryEvent {
  limit: string;
  used: number;
  max: number | "unlimited";
  /** Is a person being asked, or is the run being stopped? */
  action: "ask" | "stop";
}

/** A run ended. Sent to other extensions, and kept in the session if a limit touched the run. */
export interface OutcomeRecord {
  outcome: Outcome["kind"];
  /** The limit that ended the run, if one did. */
  limit?: string;
  turns: number;
  rounds: number;
  maxTurns: number | "unlimited";
}

export function publishBoundary(pi: ExtensionAPI, { kind, limit, used, max }: Ask | Stop): void {
  const event: BoundaryEvent = { limit, used, max, action: kind };
  pi.events.emit("turn-limit:boundary", event);
}

export function publishOutcome(pi: ExtensionAPI, { kind, touched, ...counts }: Outcome): void {
  const record: OutcomeRecord = { outcome: kind, ...counts };
  if (touched) pi.appendEntry("turn-limit:outcome", record);
  pi.events.emit("turn-limit:outcome", record);
}
