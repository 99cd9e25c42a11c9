import type { GovernorState } from "turn-limit";

// On the process: a reload loads the module again, perhaps another version of it with another form of state.
const HANDED_OVER = Symbol.for("pi-turn-limit.handed-over.3");
const shared = globalThis as { [HANDED_OVER]?: GovernorState };

/** Keeps what is counted for the extension that a reload brings. */
export function handOver(state: GovernorState): void {
  shared[HANDED_OVER] = state;
}

/** What the extension before the reload had counted, once. */
export function takeOver(): GovernorState | undefined {
  const state = shared[HANDED_OVER];
  delete shared[HANDED_OVER];
  return state;
}
