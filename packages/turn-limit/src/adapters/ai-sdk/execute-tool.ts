import type { Call } from "../../run/call.ts";
import { type Execution, executeAdmitted } from "../shared/calls.ts";

/** The results of a tool call that come one after the other, and how to say what the call's result is. */
interface Streamed {
  results: AsyncIterable<unknown>;
  resolve(last: unknown): void;
  reject(error: unknown): void;
}

/** Runs a tool call that may run, and returns what the tool does: a result, or a stream of results. */
export function executeTool(call: Call, { run, signal }: Execution): unknown {
  let streamed = undefined as Streamed | undefined;
  const result = executeAdmitted(call, {
    signal,
    run(either) {
      const results = run(either);
      if (!isStreamed(results)) return results;
      return new Promise((resolve, reject) => {
        streamed = { results, resolve, reject };
      });
    },
  });
  return streamed ? passOn(streamed, result) : result;
}

/** Passes the results on until the call is cut off. The last one is the call's result. */
async function* passOn(streamed: Streamed, call: Promise<unknown>): AsyncGenerator<unknown> {
  const results = streamed.results[Symbol.asyncIterator]();
  const over = call.then((value) => ({ done: true, value }));
  over.catch(() => {});
  let last: unknown;
  let isComplete = false;
  try {
    for (;;) {
      const { done, value } = await Promise.race([results.next(), over]);
      isComplete = done === true;
      if (isComplete) break;
      last = value;
      yield value;
    }
    streamed.resolve(last);
    await call;
  } catch (error) {
    streamed.reject(error);
    throw error;
  } finally {
    streamed.resolve(last);
    if (!isComplete) results.return?.().catch(() => {});
  }
}

/** Does this function stream its results, as far as can be seen without calling it? */
export function streamsResults(execute: object): boolean {
  return Object.prototype.toString.call(execute) === "[object AsyncGeneratorFunction]";
}

/** The results of a tool that streams them, as soon as it may begin. */
export async function* resultsOf(start: () => unknown): AsyncGenerator<unknown> {
  yield* (await start()) as AsyncIterable<unknown>;
}

/** Of results that are promised only the last can be passed on: the SDK takes a stream only from a tool that returns it at once. */
export function lastIfPromised(output: unknown): unknown {
  return output instanceof Promise
    ? output.then((result) => (isStreamed(result) ? lastOf(result) : result))
    : output;
}

async function lastOf(output: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const result of output) last = result;
  return last;
}

function isStreamed(output: unknown): output is AsyncIterable<unknown> {
  return typeof output === "object" && output !== null && Symbol.asyncIterator in output;
}
