import type { Options, Query, SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import type { AdapterOptions } from "../../run/options.ts";
import type { Run, RunHost } from "../../run/run.ts";
import { GovernedLoop, type LimitedMessage, type LimitedResult } from "./governed-loop.ts";
import { governedDialogs, governedHooks } from "./hooks.ts";
import { environment, withoutTools } from "./program.ts";
import { closable, Outbox } from "./streams.ts";
import { totalUsage } from "./usage.ts";

/** What the SDK's `query` takes. */
export interface QueryInput {
  /** A prompt, or streaming input. */
  prompt: string | AsyncIterable<SDKUserMessage>;
  /** The SDK's own options. */
  options?: Options;
}

/** The SDK's `query`, from any of its entries. */
export type QueryFunction = (input: QueryInput) => Query;

/** What a query is governed with. */
interface Limits {
  /** What `ask` and `onOutcome` are told of its runs. */
  context: unknown;
  newRun(host: RunHost): Run;
  price: AdapterOptions["price"];
  /** Called with each result that the caller gets. */
  onResult(result: LimitedResult): void;
}

/** A query under way. */
interface RunningQuery {
  run: Run;
  messages: AsyncGenerator<LimitedMessage, void>;
  /** The query that is running now: the caller's, or the tools-free one after it. */
  current(): Query;
}

/** Runs a query under its limits, and after it the tools-free one if that is due. */
export function runQuery(
  query: QueryFunction,
  { prompt, options = {} }: QueryInput,
  { context, newRun, price, onResult }: Limits,
): RunningQuery {
  const signal = options.abortController?.signal;
  const abortController = new AbortController();
  const input = typeof prompt === "string" ? undefined : closable(prompt);
  const outbox = new Outbox<LimitedMessage>();
  const run = newRun({ cutOff: (decision) => loop.cutOff(decision), canGoOn: () => loop.canGoOn });
  const loop = new GovernedLoop(run, {
    options,
    context,
    price,
    deliver(message) {
      if (message.type === "result") onResult(message);
      outbox.put(message);
    },
    interrupt,
    readTotal: () => totalUsage(current),
    close: () => input?.close(),
  });
  const governed: Options = {
    ...governedDialogs(options, run, loop),
    ...(signal && { abortController }),
    env: environment(options),
    includePartialMessages: true,
    hooks: governedHooks(options.hooks, loop),
  };
  let sessionId = "";
  let isRunning = true;
  let current = start(input?.source ?? prompt, options);
  let work = follow(current);

  function start(prompt: QueryInput["prompt"], more: Options): Query {
    return query({ prompt, options: { ...more, ...governed } });
  }

  /** Reads ahead, because the hooks must know what was answered, however slowly the caller reads. */
  function follow(messages: Query): Promise<void> {
    const work = (async () => {
      isRunning = true;
      try {
        for await (const message of messages) {
          sessionId = message.session_id ?? sessionId;
          loop.see(message);
        }
      } finally {
        isRunning = false;
        loop.idle();
      }
    })();
    // What it throws is for the caller, who may read much later, or never.
    work.catch(() => {});
    return work;
  }

  async function interrupt(): Promise<void> {
    await current.interrupt().catch(() => {});
  }

  // Interrupted first: aborted at once, the program would go on for seconds, and its hooks would get no answer.
  const abort = () => void interrupt().finally(() => abortController.abort());
  if (signal?.aborted) abortController.abort();
  signal?.addEventListener("abort", abort, { once: true });

  async function* messages(): AsyncGenerator<LimitedMessage, void> {
    try {
      yield* relayed();
      const message = loop.beginLastTurn();
      if (message !== undefined && !signal?.aborted) {
        current = start(message, withoutTools(options, sessionId));
        work = follow(current);
        yield* relayed();
      }
      if (loop.error) throw loop.error;
    } finally {
      const isLeft = isRunning;
      loop.close();
      signal?.removeEventListener("abort", abort);
      input?.close();
      if (isLeft && run.view.status !== "idle") await interrupt();
      if (signal?.aborted && !run.outcome && run.view.status === "idle") run.begin({ context });
      run.end(signal?.aborted || isLeft ? "aborted" : "failed");
      if (isLeft) current.close();
      await run.shared.done();
    }
  }

  async function* relayed(): AsyncGenerator<LimitedMessage, void> {
    try {
      yield* outbox.readUntil(work);
    } catch (error) {
      if (!loop.endedHere) throw error;
    }
  }

  return { run, messages: messages(), current: () => current };
}
