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

/** Runs a tool call that may run: its result, or an error that says why it was cut off. */
export async function executeCall(driver: Driver, { call, signal, run }: Execution): Promise<unknown> {
  const executed = await driver.execute(call, (cutOff) => run(cutOff && either(signal, cutOff)));
  if (executed.kind === "result") return executed.result;
  // An error, because a text would not have the type of the tool's results.
  throw new Error(executed.reason);
}

function either(callers: AbortSignal | undefined, ours: AbortSignal): AbortSignal {
  return callers ? AbortSignal.any([callers, ours]) : ours;
}
