import type { Driver } from "../../driver/driver.ts";
import type { StepCall } from "../../limits/repeated-calls.ts";

/** A tool call of the model, and how to run it. */
export interface Execution {
  call: StepCall;
  /** The caller's signal. */
  signal: AbortSignal | undefined;
  /** Runs it, with a signal of its own if it may be cut off. */
  run(signal?: AbortSignal): unknown;
}

/**
 * Runs a tool call that may run: its result, or an error that says why it was cut off. Its signal has the same reason.
 */
export async function executeCall(driver: Driver, { call, signal, run }: Execution): Promise<unknown> {
  const cut = driver.governor.view.timeLeft === undefined ? undefined : new AbortController();
  const either = cut && (signal ? AbortSignal.any([signal, cut.signal]) : cut.signal);
  const executed = await driver.execute(call, () => run(either));
  if (executed.kind === "result") return executed.result;
  // An error, because a text would not have the type of the tool's results.
  const reason = new Error(executed.reason);
  cut?.abort(reason);
  throw reason;
}
