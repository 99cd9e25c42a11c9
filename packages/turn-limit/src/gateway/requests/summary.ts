import type { Outcome } from "../../core/governor/outcome.ts";
import type { Boundary } from "../../core/limits/boundary.ts";
import { kindOf } from "../../core/limits/kinds.ts";
import type { Usage } from "../../core/meter/usage.ts";

/** The result of a run. */
export interface GatewaySummary {
  /** How it ended, as far as it is known. */
  readonly outcome: Outcome | undefined;
  /** The limit that ended it. */
  readonly endedBy: Boundary | undefined;
  readonly turns: number;
  readonly requests: number;
  /** Those of them that this process sent: a run may go on from an earlier one. */
  readonly sent: number;
  readonly usage: Usage | undefined;
  /** Is a part of the usage estimated, because an answer did not report it? */
  readonly isEstimate: boolean;
  /** Is a part of the cost unknown? */
  readonly isUnpriced: boolean;
  /** The limits of tokens and of cost that the last answers went beyond: what they take is known only afterwards. */
  readonly over: readonly Boundary[];
  /** Why the provider did not answer the last request, if it did not. */
  readonly problem: string | undefined;
  /** Milliseconds, without those in which a person was asked. */
  readonly time: number;
}

/** The summary of a run with this outcome. */
export function summaryOf(
  outcome: Outcome | undefined,
  rest: Omit<GatewaySummary, "outcome" | "turns" | "usage" | "time">,
): GatewaySummary {
  return {
    ...rest,
    outcome: outcome && endedAs(outcome, rest.endedBy),
    turns: outcome?.turns ?? 0,
    usage: outcome?.usage,
    time: outcome?.time ?? 0,
  };
}

/** Was more used of a limit than it admits, because that is known only afterwards? */
export function isOver({ identity, used, max }: Boundary): boolean {
  const measure = kindOf(identity)?.measure;
  return (measure === "tokens" || measure === "cost") && max !== "unlimited" && used > max;
}

// A run whose requests were refused did not complete by itself.
function endedAs(outcome: Outcome, by: Boundary | undefined): Outcome {
  const seemsFinished = outcome.kind === "completed" || outcome.kind === "wrapped-up";
  return by && seemsFinished ? { ...outcome, kind: "stopped", limit: by.limit, intervened: true } : outcome;
}
