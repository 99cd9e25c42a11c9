import type { Outcome } from "../../core/governor/outcome.ts";
import type { Boundary } from "../../core/limits/boundary.ts";
import type { Usage } from "../../core/meter/usage.ts";

/** The result of a run. */
export interface GatewaySummary {
  /** How it ended, as far as it is known. */
  readonly outcome: Outcome | undefined;
  /** The limit that ended it. */
  readonly endedBy: Boundary | undefined;
  readonly turns: number;
  readonly requests: number;
  readonly usage: Usage | undefined;
  /** Is a part of the usage estimated, because an answer did not report it? */
  readonly isEstimate: boolean;
  /** Is a part of the cost unknown? */
  readonly isUnpriced: boolean;
  /** Milliseconds, without those in which a person was asked. */
  readonly time: number;
}

/** The summary of a run with this outcome. */
export function summaryOf(
  outcome: Outcome | undefined,
  rest: Pick<GatewaySummary, "endedBy" | "requests" | "isEstimate" | "isUnpriced">,
): GatewaySummary {
  return {
    ...rest,
    outcome: outcome && endedAs(outcome, rest.endedBy),
    turns: outcome?.turns ?? 0,
    usage: outcome?.usage,
    time: outcome?.time ?? 0,
  };
}

// A run whose requests were refused did not complete by itself.
function endedAs(outcome: Outcome, by: Boundary | undefined): Outcome {
  const seemsFinished = outcome.kind === "completed" || outcome.kind === "wrapped-up";
  return by && seemsFinished ? { ...outcome, kind: "stopped", limit: by.limit, intervened: true } : outcome;
}
