import type { Boundary, GovernorState } from "turn-limit";
import type { PromptBudgetState } from "../agents/prompt-budget.ts";

/** What lasts over a reload. */
interface ReloadState {
  governor: GovernorState;
  /** The limit that cut off what was under way, if the tools-free turn is yet to begin. */
  cutOffBy: Boundary | undefined;
  /** What the last run took of the limits that it had, if the agent is idle. */
  lastRun: readonly Boundary[];
  /** What the agents below draw from. */
  agents: PromptBudgetState;
}

// On the process: a reload loads the module again, perhaps another version of it with another form of state.
const HANDED_OVER = Symbol.for("pi-turn-limit.handed-over.7");
const shared = globalThis as { [HANDED_OVER]?: ReloadState };

/** Keeps what is counted for the extension that a reload brings. */
export function saveForReload(state: ReloadState): void {
  shared[HANDED_OVER] = state;
}

/** What the extension before the reload had counted, once. */
export function takeAfterReload(): ReloadState | undefined {
  const state = shared[HANDED_OVER];
  delete shared[HANDED_OVER];
  return state;
}
