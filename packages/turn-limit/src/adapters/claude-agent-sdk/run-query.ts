import type { Options, Query, SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import type { Usage } from "../../core/meter/usage.ts";
import type { Driver } from "../../pools/old-driver/driver.ts";
import type { AdapterOptions } from "../../run/options.ts";
import { GovernedLoop, type LimitedMessage, type LimitedResult } from "./governed-loop.ts";
import { environment, withoutTools } from "./options.ts";
import { totalUsage } from "./session-usage.ts";
import { closable, Outbox } from "./streams.ts";

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
export interface Governing {
  /** What `ask` and `onOutcome` are told of its runs. */
  context: unknown;
  driver: Driver;
  price: AdapterOptions["price"];
  /** Called with each result that the caller gets. */
  onResult(result: LimitedResult): void;
}

/** A query under way. */
export interface RunningQuery {
  messages: AsyncGenerator<LimitedMessage, void>;
  /** The query that is running now: the caller's, or the tools-free one after it. */
  current(): Query;
}

/** Runs a query under its limits, and after it the tools-free one if that is due. */
export function runQuery(
  query: QueryFunction,
  { prompt, options = {} }: QueryInput,
  { context, driver, price, onResult }: Governing,
): RunningQuery {
  const signal = options.abortController?.signal;
  const abortController = new AbortController();
  const input = typeof prompt === "string" ? undefined : closable(prompt);
  const outbox = new Outbox<LimitedMessage>();
  const close = () => input?.close();
  const loop = new GovernedLoop(driver, options, { context, deliver, interrupt, total, close }, price);
  const governed: Options = {
    ...loop.dialogs,
    ...(signal && { abortController }),
    env: environment(options),
    includePartialMessages: true,
    hooks: loop.hooks,
  };

  let current = start(input?.source ?? prompt, options);
  let work = followed(current);

  function start(prompt: QueryInput["prompt"], more: Options): Query {
    return query({ prompt, options: { ...more, ...governed } });
  }

  /** Reads ahead, because the hooks must know what was answered, however slowly the caller reads. */
  async function follow(messages: Query): Promise<void> {
    try {
      for await (const message of messages) loop.see(message);
    } finally {
      loop.programEnded();
    }
  }

  /** What it throws is for the caller, who may read much later, or never. */
  function followed(messages: Query): Promise<void> {
    const following = follow(messages);
    following.catch(() => {});
    return following;
  }

  function deliver(message: LimitedMessage): void {
    if (message.type === "result") onResult(message);
    outbox.put(message);
  }

  async function interrupt(): Promise<void> {
    await current.interrupt().catch(() => {});
  }

  async function total(): Promise<Usage | undefined> {
    try {
      const { session } = await current.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({
        skipBehaviors: true,
      });
      return totalUsage(session.total_cost_usd, session.model_usage);
    } catch {
      return undefined; // As its name says, it may be gone one day.
    }
  }

  // Interrupted first: aborted at once, the program would go on for seconds, and its hooks would get no answer.
  const abort = () => void interrupt().finally(() => abortController.abort());
  if (signal?.aborted) abortController.abort();
  signal?.addEventListener("abort", abort, { once: true });

  async function* messages(): AsyncGenerator<LimitedMessage, void> {
    try {
      yield* relayed();
      const message = loop.takeSynthesis();
      if (message !== undefined && !signal?.aborted) {
        current = start(message, withoutTools(options, loop.sessionId));
        work = followed(current);
        yield* relayed();
      }
      if (loop.error) throw loop.error;
    } finally {
      loop.close();
      signal?.removeEventListener("abort", abort);
      input?.close();
      if (signal?.aborted && !driver.outcome && driver.governor.view.status === "idle")
        driver.begin({ context });
      driver.end(signal?.aborted ? "aborted" : "failed");
      await driver.poolsSettled();
    }
  }

  async function* relayed(): AsyncGenerator<LimitedMessage, void> {
    let left = true;
    try {
      yield* outbox.readUntil(work);
      left = false;
    } catch (error) {
      left = false;
      if (!loop.endedHere) throw error;
    } finally {
      if (left) await leave();
    }
  }

  /** The caller reads no further. */
  async function leave(): Promise<void> {
    loop.close();
    if (driver.governor.view.status !== "idle") await interrupt();
    driver.end("aborted");
    current.close();
  }

  return { messages: messages(), current: () => current };
}
