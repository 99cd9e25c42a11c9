import type { Outcome } from "../../core/governor/outcome.ts";
import type { Boundary } from "../../core/limits/boundary.ts";
import { addUsage, type Usage } from "../../core/meter/usage.ts";

/** The result of a run. */
export interface GatewaySummary {
  /** How it ended, as far as it is known. Of several prompts: the last. */
  readonly outcome: Outcome | undefined;
  /** The limit that ended it. */
  readonly endedBy: Boundary | undefined;
  /** In all prompts together, as is the rest. */
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

/** The summary of a run with these outcomes, one for each prompt. */
export function summaryOf(
  outcomes: readonly Outcome[],
  rest: Pick<GatewaySummary, "endedBy" | "requests" | "isEstimate" | "isUnpriced">,
): GatewaySummary {
  const last = outcomes.at(-1);
  const usages = outcomes.flatMap(({ usage }) => usage ?? []);
  return {
    ...rest,
    outcome: last && endedAs(last, rest.endedBy),
    turns: outcomes.reduce((sum, { turns }) => sum + turns, 0),
    usage: usages.length > 0 ? usages.reduce(addUsage) : undefined,
    time: outcomes.reduce((sum, { time = 0 }) => sum + time, 0),
  };
}

// A run whose requests were refused did not complete by itself.
function endedAs(outcome: Outcome, by: Boundary | undefined): Outcome {
  const seemsFinished = outcome.kind === "completed" || outcome.kind === "wrapped-up";
  return by && seemsFinished ? { ...outcome, kind: "stopped", limit: by.limit, intervened: true } : outcome;
}
