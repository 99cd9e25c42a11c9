import type { Call } from "../../run/call.ts";
import { eitherSignal } from "./hosted-agent.ts";

/** How to run a tool call of the model. */
export interface Execution {
  /** The caller's signal. */
  signal: AbortSignal | undefined;
  /** Runs it, with a signal of its own if it may be cut off. */
  run(signal?: AbortSignal): unknown;
}

/** Runs an admitted tool call: its result, or an error that says why it was cut off. */
export async function executeAdmitted(call: Call, { signal, run }: Execution): Promise<unknown> {
  const executed = await call.execute((cutOff) => run(cutOff && eitherSignal(signal, cutOff)));
  if (executed.kind === "result") return executed.result;
  // An error, because a text would not have the type of the tool's results.
  throw new Error(executed.reason);
}
