import { RunState } from "@openai/agents";
import { InvalidLimit } from "../../core/errors/invalid-limit.ts";
import type { GovernorState } from "../../core/governor/state.ts";
import type { AnyAgent } from "./governed-loop.ts";

type State = RunState<unknown, AnyAgent>;

/**
 * Where the limits ride in the run state: among the texts that the host keeps of agents that wait within a tool call. It
 * only looks those up by the names and ids of calls, it saves them whatever the context is, and no model is sent them.
 */
const KEY = "turn-limit";

/** Whenever the state is saved, what is left of the limits is saved with it. `left`: `undefined` if the run is over. */
export function saveWith(state: State, left: () => GovernorState | undefined): void {
  Object.defineProperty(state, "toJSON", {
    configurable: true,
    value(options?: Parameters<State["toJSON"]>[0]) {
      const governor = left();
      const json = RunState.prototype.toJSON.call(state, options);
      if (!governor) return json;
      const pendingAgentToolRuns = { ...json.pendingAgentToolRuns, [KEY]: JSON.stringify(governor) };
      return { ...json, pendingAgentToolRuns };
    },
  });
}

/** What was saved with the state, if it is one that was restored. */
export function savedWith(state: State): GovernorState | undefined {
  const text = state._pendingAgentToolRuns.get(KEY);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidLimit("the limits in the run state", text, "what a run under limits saved with it");
  }
}

/** A run has what was saved with the state: from now on it is up to that run. */
export function forgetSaved(state: State): void {
  state._pendingAgentToolRuns.delete(KEY);
}
