import type { Boundary, GovernorState } from "turn-limit";
import type { PromptBudgetState } from "../agents/prompt-budget.ts";

/** What of a session lasts over a reload of the extension. */
export interface ReloadState {
  governor: GovernorState;
  /** The limit that cut off what was under way, if the tools-free turn is yet to begin. */
  cutOffBy: Boundary | undefined;
  /** What the last run took of the limits that it had, if the agent is idle. */
  lastRun: readonly Boundary[];
  /** What the agents below draw from. */
  agents: PromptBudgetState;
  /** The id by which the session is listed. */
  listing: string;
}

// On the process: a reload loads the module again, perhaps another version of it with another form of state.
const HANDED_OVER = Symbol.for("pi-turn-limit.handed-over.10");
const shared = globalThis as { [HANDED_OVER]?: ReloadState | undefined };

/** Keeps it for the session that follows. */
export function handOver(state: ReloadState): void {
  shared[HANDED_OVER] = state;
}

/** The state before a reload, which is taken only once. */
export function takeHandedOver(): ReloadState | undefined {
  const before = shared[HANDED_OVER];
  if (before) shared[HANDED_OVER] = undefined;
  return before;
}
