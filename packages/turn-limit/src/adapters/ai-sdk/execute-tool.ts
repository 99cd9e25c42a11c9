import type { Call } from "../../run/call.ts";
import { type Execution, executeAdmitted } from "../shared/execute-call.ts";

/** Runs a tool call that may run, and returns what the tool does: a result, or a stream of results. */
export function executeTool(call: Call, { run, signal }: Execution): unknown {
  let streamed = undefined as StreamedResults | undefined;
  const result = executeAdmitted(call, {
    signal,
    run(either) {
      const output = run(either);
      if (!isStreamed(output)) return output;
      streamed = new StreamedResults(output);
      return streamed.last;
    },
  });
  return streamed ? streamed.passOn(result) : result;
}

/** The results of a tool call that come one after the other. The last one is the call's result. */
class StreamedResults {
  readonly #results: AsyncIterator<unknown>;
  /** The last result, once all have been passed on. */
  readonly last: Promise<unknown>;
  #resolve: (last: unknown) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(results: AsyncIterable<unknown>) {
    this.#results = results[Symbol.asyncIterator]();
    this.last = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Passes the results on, until the last one or until `call` is cut off. */
  async *passOn(call: Promise<unknown>): AsyncGenerator<unknown> {
    const over = call.then((value) => ({ done: true, value }));
    over.catch(() => {});
    let last: unknown;
    let complete = false;
    try {
      for (;;) {
        const { done, value } = await Promise.race([this.#results.next(), over]);
        complete = done === true;
        if (complete) break;
        last = value;
        yield value;
      }
      this.#resolve(last);
      await call;
    } catch (error) {
      this.#reject(error);
      throw error;
    } finally {
      this.#resolve(last);
      if (!complete) this.#results.return?.().catch(() => {});
    }
  }
}

/** The last of the results that a tool call returns. The SDK takes a stream only from a tool that returns it at once. */
export async function lastResult(output: unknown): Promise<unknown> {
  if (!isStreamed(output)) return output;
  let last: unknown;
  for await (const result of output) last = result;
  return last;
}

function isStreamed(output: unknown): output is AsyncIterable<unknown> {
  return typeof output === "object" && output !== null && Symbol.asyncIterator in output;
}
