import type { StepCall } from "../../core/limits/repeated-calls.ts";
import type { Driver } from "../../pools/old-driver/driver.ts";
import type { Executed } from "../../pools/old-driver/work.ts";
import type { Call } from "../../run/call.ts";
import { eitherSignal } from "./either-signal.ts";

/** A tool call of the model, and how to run it. */
export interface Execution {
  call: StepCall;
  /** The caller's signal. */
  signal: AbortSignal | undefined;
  /** Runs it, with a signal of its own if it may be cut off. */
  run(signal?: AbortSignal): unknown;
}

/** Runs an admitted tool call: its result, or an error that says why it was cut off. */
export async function executeAdmitted(call: Call, execution: Omit<Execution, "call">): Promise<unknown> {
  return resultOf(await call.execute(runWithSignal(execution)));
}

/** Runs a tool call that may run: its result, or an error that says why it was cut off. */
export async function executeCall(driver: Driver, execution: Execution): Promise<unknown> {
  return resultOf(await driver.execute(execution.call, runWithSignal(execution)));
}

/** The same for a call that is made again: it is still the same step. */
export async function executeCallAgain(driver: Driver, execution: Execution): Promise<unknown> {
  return resultOf(await driver.executeAgain(execution.call, runWithSignal(execution)));
}

function runWithSignal({ signal, run }: Omit<Execution, "call">) {
  return (cutOff: AbortSignal | undefined) => run(cutOff && eitherSignal(signal, cutOff));
}

function resultOf(executed: Executed<unknown>): unknown {
  if (executed.kind === "result") return executed.result;
  // An error, because a text would not have the type of the tool's results.
  throw new Error(executed.reason);
}
