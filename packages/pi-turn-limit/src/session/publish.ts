import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Ask, Outcome, Stop, Synthesize } from "turn-limit";

/** A limit was hit. Sent to other extensions as `turn-limit:boundary`. */
export interface BoundaryEvent {
  limit: string;
  used: number;
  max: number | "unlimited";
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
  maxTurns: number | "unlimited";
  maxSteps: number | "unlimited";
}

export function publishBoundary(pi: ExtensionAPI, { kind, limit, used, max }: Ask | Stop | Synthesize): void {
  const event: BoundaryEvent = { limit, used, max, action: kind };
  pi.events.emit("turn-limit:boundary", event);
}

export function publishOutcome(pi: ExtensionAPI, { kind, touched, usage: _, ...counts }: Outcome): void {
  const record: OutcomeRecord = { outcome: kind, ...counts };
  if (touched) pi.appendEntry("turn-limit:outcome", record);
  pi.events.emit("turn-limit:outcome", record);
}
