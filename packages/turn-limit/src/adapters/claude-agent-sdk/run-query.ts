import type { Options, Query, SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import type { Usage } from "../../core/meter/usage.ts";
import type { AdapterOptions } from "../../run/options.ts";
import type { Run, RunHost } from "../../run/run.ts";
import { tellingDialog, tellingHooks } from "./denials.ts";
import { GovernedLoop, type LimitedMessage, type LimitedResult } from "./governed-loop.ts";
import { environment, governedDialogs, governedHooks, withoutTools } from "./options.ts";
import { totalUsage } from "./session-usage.ts";
import { closable, Outbox } from "./streams.ts";
import { ToolCalls } from "./tool-calls.ts";
import { UsageReports } from "./usage-reports.ts";

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
  newRun(host: RunHost): Run;
  price: AdapterOptions["price"];
  /** Called with each result that the caller gets. */
  onResult(result: LimitedResult): void;
}

/** A query under way. */
export interface RunningQuery {
  run: Run;
  messages: AsyncGenerator<LimitedMessage, void>;
  /** The query that is running now: the caller's, or the tools-free one after it. */
  current(): Query;
}

/** Runs a query under its limits, and after it the tools-free one if that is due. */
export function runQuery(
  query: QueryFunction,
  { prompt, options = {} }: QueryInput,
  { context, newRun, price, onResult }: Governing,
): RunningQuery {
  const signal = options.abortController?.signal;
  const abortController = new AbortController();
  const input = typeof prompt === "string" ? undefined : closable(prompt);
  const outbox = new Outbox<LimitedMessage>();
  const calls = new ToolCalls();
  const run = newRun({
    cutOff: (decision) => loop.cutOff(decision),
    canGoOn: () => calls.areOpen,
  });
  const usage = new UsageReports(run, options, total, price);
  const close = () => input?.close();
  const loop = new GovernedLoop(run, { options, context, deliver, interrupt, close }, calls, usage);
  const { PreToolUse, ...hooks } = options.hooks ?? {};
  const { canUseTool } = options;
  const governed: Options = {
    ...governedDialogs(
      { ...options, ...(canUseTool && { canUseTool: tellingDialog(canUseTool, calls.denied) }) },
      run,
    ),
    ...(signal && { abortController }),
    env: environment(options),
    includePartialMessages: true,
    hooks: governedHooks(
      { ...hooks, ...(PreToolUse && { PreToolUse: tellingHooks(PreToolUse, calls.denied) }) },
      loop,
    ),
  };
  let sessionId = "";

  let current = start(input?.source ?? prompt, options);
  let work = followed(current);

  function start(prompt: QueryInput["prompt"], more: Options): Query {
    return query({ prompt, options: { ...more, ...governed } });
  }

  /** Reads ahead, because the hooks must know what was answered, however slowly the caller reads. */
  async function follow(messages: Query): Promise<void> {
    try {
      for await (const message of messages) {
        sessionId = message.session_id ?? sessionId;
        loop.see(message);
      }
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
      const message = loop.beginLastTurn();
      if (message !== undefined && !signal?.aborted) {
        current = start(message, withoutTools(options, sessionId));
        work = followed(current);
        yield* relayed();
      }
      if (loop.error) throw loop.error;
    } finally {
      loop.close();
      signal?.removeEventListener("abort", abort);
      input?.close();
      if (signal?.aborted && !run.outcome && run.view.status === "idle") run.begin({ context });
      run.end(signal?.aborted ? "aborted" : "failed");
      await run.shared.done();
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
    if (run.view.status !== "idle") await interrupt();
    run.end("aborted");
    current.close();
  }

  return { run, messages: messages(), current: () => current };
}
