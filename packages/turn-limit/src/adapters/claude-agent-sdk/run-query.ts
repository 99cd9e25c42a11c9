import { EventEmitter, on } from "node:events";
import { setTimeout } from "node:timers/promises";
import type { Options, Query, SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import { untilAborted } from "../../run/until-aborted.ts";
import type { Runs } from "../shared/runs.ts";
import { GovernedLoop, type LimitedMessage } from "./governed-loop.ts";
import { governedDialogs, governedHooks } from "./hooks.ts";
import { environment } from "./program.ts";
import { SessionUsage, totalUsage } from "./usage.ts";

/** How long the program has to end by itself once it is interrupted, in milliseconds. */
const TIME_TO_END = 5_000;

/** What the SDK's `query` takes. */
export interface QueryInput {
  /** A prompt, or streaming input. */
  prompt: string | AsyncIterable<SDKUserMessage>;
  /** The SDK's own options. */
  options?: Options;
}

/** The SDK's `query`, from any of its entries. */
export type QueryFunction = (input: QueryInput) => Query;

/**
 * Runs a query under its limits, and after it the tools-free one if that is due. `context`: what `ask` and `onOutcome` are
 * told of its runs.
 */
export function runQuery(
  query: QueryFunction,
  { prompt, options = {} }: QueryInput,
  runs: Runs,
  context: unknown,
) {
  const { price, ...limits } = runs.options;
  const signal = options.abortController?.signal;
  const abortController = new AbortController();
  const closed = new AbortController();
  // What the caller gets. An event without a message ends it.
  const outbox = new EventEmitter<{ message: [LimitedMessage?] }>();
  // The program itself says what a run costs; the price is for when it does not.
  const run = runs.newRun(
    { cutOff: (decision) => loop.cutOff(decision), canGoOn: () => loop.canGoOn },
    limits,
  );
  const usage = new SessionUsage(run, options, () => totalUsage(current), price);
  const loop = new GovernedLoop(run, usage, { options, context, deliver, interrupt, close });
  const governed: Options = {
    ...governedDialogs(options, run, loop),
    ...(signal && { abortController }),
    env: environment(options),
    includePartialMessages: true,
    hooks: governedHooks(options.hooks, loop),
  };
  let sessionId = "";
  let isRunning = true;
  let isRead = false;
  let current = start(typeof prompt === "string" ? prompt : readUntil(closed.signal, prompt), options);
  const messages = follow(current);

  function start(prompt: QueryInput["prompt"], more: Options): Query {
    return query({ prompt, options: { ...more, ...governed } });
  }

  /** Reads ahead, because the hooks must know what was answered, however slowly the caller reads. */
  function follow(program: Query): AsyncGenerator<LimitedMessage, void> {
    const delivered = on(outbox, "message");
    const work = see(program);
    // What it throws is for the caller, who may read much later, or never.
    work.catch(() => {});
    return relayed(delivered, work);
  }

  async function* relayed(delivered: AsyncIterable<LimitedMessage[]>, work: Promise<void>) {
    try {
      for await (const [message] of delivered) {
        if (!message) break;
        yield message;
      }
      await work;
    } catch (error) {
      if (!loop.endedHere) throw error;
    }
  }

  async function see(program: Query): Promise<void> {
    isRunning = true;
    try {
      for await (const message of program) {
        sessionId = message.session_id ?? sessionId;
        loop.see(message);
      }
    } finally {
      isRunning = false;
      loop.idle();
      outbox.emit("message");
    }
  }

  function deliver(message: LimitedMessage): void {
    if (message.type === "result") runs.returned(message, () => message.outcome);
    outbox.emit("message", message);
  }

  async function interrupt(): Promise<void> {
    await current.interrupt().catch(() => {});
  }

  // Interrupted first: closed or aborted at once, the program would go on for seconds, and its hooks would get no answer.
  async function interruptBefore(end: () => void): Promise<void> {
    const timer = new AbortController();
    const late = setTimeout(TIME_TO_END, undefined, { ref: false, signal: timer.signal }).catch(() => {});
    await Promise.race([interrupt(), late]);
    timer.abort();
    end();
  }

  function close(): void {
    closed.abort();
  }

  const abort = () => void interruptBefore(() => abortController.abort());
  if (signal?.aborted) abortController.abort();
  signal?.addEventListener("abort", abort, { once: true });

  async function* all(): AsyncGenerator<LimitedMessage, void> {
    isRead = true;
    try {
      yield* messages;
      const last = loop.beginLastTurn(sessionId);
      if (last && !signal?.aborted) {
        current = start(last.prompt, last.options);
        yield* follow(current);
      }
      if (loop.error) throw loop.error;
    } finally {
      await leave();
    }
  }

  /** Nobody reads any further. */
  async function leave(): Promise<void> {
    const isLeft = isRunning || loop.isClosed;
    loop.close();
    close();
    signal?.removeEventListener("abort", abort);
    if (isRunning) await interruptBefore(() => current.close());
    if (signal?.aborted && !run.outcome && run.facts.status === "idle") run.begin({ context });
    run.end(signal?.aborted || isLeft ? "aborted" : "failed");
    await run.shared.done();
  }

  /** As the SDK's: there are no more messages, and the program ends. */
  function closeQuery(): void {
    loop.close();
    close();
    outbox.emit("message");
    if (isRead) void interruptBefore(() => current.close());
    else void leave();
  }

  return {
    run,
    messages: all(),
    close: closeQuery,
    /** Ends the query, also if nobody has read anything of it. */
    async leave(): Promise<void> {
      if (!isRead) await leave();
    },
    /** The query that is running now: the caller's, or the tools-free one after it. */
    current: () => current,
  };
}

/** What a source has until the signal is aborted, also while a reader waits for it. */
async function* readUntil<T>(signal: AbortSignal, source: AsyncIterable<T>): AsyncGenerator<T, void> {
  const items = source[Symbol.asyncIterator]();
  for (;;) {
    const next = await untilAborted(signal, items.next(), () => undefined);
    if (!next || next.done) return;
    yield next.value;
  }
}
