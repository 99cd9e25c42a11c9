import type { Agent } from "@earendil-works/pi-agent-core";
import { answerUntil, cutOffBy } from "../shared/bounded-answer.ts";
import type { HostedAgent } from "../shared/hosted-agent.ts";
import type { Answer } from "./messages.ts";

type Stream = Awaited<ReturnType<Agent["streamFunction"]>>;
type StreamEvent = Stream extends AsyncIterable<infer Event> ? Event : never;
type Model = Agent["state"]["model"];

/** The stream of an answer until the agent must end. What has come by then is the answer, as after an abort of Pi's. */
export async function streamUntil(
  { signal }: Pick<HostedAgent, "signal">,
  model: Model,
  start: () => Stream | Promise<Stream>,
): Promise<Stream> {
  const ours = cutOffBy(signal);
  let partial: Answer | undefined;
  let ending: Answer | undefined;

  function cutOff(): Answer {
    // The stream may still write into what has come of it.
    ending ??= {
      ...notBegun(model),
      ...structuredClone(partial),
      stopReason: "aborted",
      errorMessage: (signal.reason as Error).message,
    };
    return ending;
  }

  const stream = await answerUntil<Stream | undefined>(
    ours,
    true,
    async () => start(),
    () => undefined,
  );

  async function* events(): AsyncGenerator<StreamEvent> {
    const iterator = stream?.[Symbol.asyncIterator]();
    const read = async () => iterator?.next();
    for (;;) {
      const next = await answerUntil(ours, true, read, () => undefined);
      if (next?.done) return;
      if (!next) return yield { type: "error", reason: "aborted", error: cutOff() };
      if ("partial" in next.value) ({ partial } = next.value);
      yield next.value;
    }
  }

  // All that the agent uses of a stream.
  const bounded: Pick<Stream, "result" | typeof Symbol.asyncIterator> = {
    [Symbol.asyncIterator]: events,
    result: () => answerUntil(ours, true, async () => stream?.result() ?? cutOff(), cutOff),
  };
  return bounded as Stream;
}

function notBegun({ api, provider, id }: Model): Omit<Answer, "stopReason"> {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
  return { role: "assistant", content: [], api, provider, model: id, usage, timestamp: Date.now() };
}
