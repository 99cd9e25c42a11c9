import type { StepCall } from "../../limits/RepeatTracker.ts";
import type { GovernedRuns } from "./GovernedRuns.ts";

/** A tool call of the model's, as it is to be run. */
export interface Execution {
  call: StepCall;
  /** The caller's signal. */
  signal: AbortSignal | undefined;
  /** Runs it, with a signal of its own if it may be cut off. */
  run(signal?: AbortSignal): unknown;
}

const NONE = Symbol("no result yet");

/** Runs a tool call that may run: its result, or an error that says why it was cut off, which its signal says too. */
export async function settled(runs: GovernedRuns, { call, signal, run }: Execution): Promise<unknown> {
  const cut = runs.governor.timeLeft === undefined ? undefined : new AbortController();
  const either = cut && (signal ? AbortSignal.any([signal, cut.signal]) : cut.signal);
  let own: unknown = NONE;
  const result = await runs.execute(call, async () => {
    own = await run(either);
    return own;
  });
  if (Object.is(result, own)) return result;
  // A tool's results have a type, and the text that says why it was cut off is not of it.
  const reason = new Error(String(result));
  cut?.abort(reason);
  throw reason;
}
