import type { Outcome } from "../../core/governor/outcome.ts";
import type { Boundary } from "../../core/limits/boundary.ts";
import type { Usage } from "../../core/meter/usage.ts";

/** What a run came to. */
export interface GatewaySummary {
  /** How it ended, as far as it is known. Of several prompts: the last. */
  readonly outcome: Outcome | undefined;
  /** The limit that ended it. */
  readonly endedBy: Boundary | undefined;
  /** Of all prompts together, as is the rest. */
  readonly turns: number;
  readonly requests: number;
  readonly usage: Usage | undefined;
  /** Is a part of the usage estimated, because an answer did not say what it took? */
  readonly isEstimate: boolean;
  /** Is a part of the cost not known? */
  readonly isUnpriced: boolean;
  /** Milliseconds, without those in which a person was asked. */
  readonly time: number;
}
