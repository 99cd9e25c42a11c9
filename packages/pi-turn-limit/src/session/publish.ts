import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Boundary, LimitIdentity, Max, Outcome } from "turn-limit";
import { OUTCOME, type OutcomeRecord, summary } from "../display/summary-line.ts";

/** A limit was hit. Sent to other extensions as `turn-limit:boundary`. */
export interface BoundaryEvent {
  limit: string;
  /** What it is, whatever it is called. */
  identity: LimitIdentity;
  used: number;
  max: Max;
  /** Is a person being asked, is the run being stopped, or does it end with an answer made without tools? */
  action: "ask" | "stop" | "synthesize";
}

export function publishBoundary(
  pi: ExtensionAPI,
  { kind, limit, identity, used, max }: Boundary & { kind: BoundaryEvent["action"] },
): void {
  const event: BoundaryEvent = { limit, identity, used, max, action: kind };
  pi.events.emit("turn-limit:boundary", event);
}

export function publishOutcome(
  pi: ExtensionAPI,
  { kind, intervened: _, ...counts }: Outcome,
  { isShown }: { isShown: boolean },
): void {
  const ended = { outcome: kind, ...counts };
  const record: OutcomeRecord = { ...ended, summary: summary(ended) };
  if (isShown) pi.appendEntry(OUTCOME, record);
  pi.events.emit(OUTCOME, record);
}
