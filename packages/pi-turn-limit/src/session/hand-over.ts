import type { GovernorState } from "turn-limit";

// On the process: a reload loads the module anew, perhaps in another version, which knows another state.
const HANDED_OVER = Symbol.for("pi-turn-limit.handed-over.2");
const shared = globalThis as { [HANDED_OVER]?: GovernorState };

/** Keeps what is counted for the extension that a reload brings. What is asked while a turn goes on, it asks again. */
export function handOver(state: GovernorState): void {
  shared[HANDED_OVER] = state.status === "running" ? { ...state, question: null, asked: null } : state;
}

/** What the extension before the reload had counted, once. */
export function takeOver(): GovernorState | undefined {
  const state = shared[HANDED_OVER];
  delete shared[HANDED_OVER];
  return state;
}
