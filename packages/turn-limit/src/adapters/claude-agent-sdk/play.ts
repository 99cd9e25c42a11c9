import type { Options, Query, SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import type { Usage } from "../../governor/Usage.ts";
import type { AdapterOptions } from "../shared/AdapterOptions.ts";
import type { GovernedRuns } from "../shared/GovernedRuns.ts";
import { closable } from "./closable.ts";
import { GovernedLoop } from "./GovernedLoop.ts";
import type { LimitedMessage } from "./LimitedMessage.ts";
import { readAhead } from "./readAhead.ts";
import { totalOf } from "./totalOf.ts";
import { waitingFor } from "./waitingFor.ts";

/** What the SDK's `query` takes. */
export interface QueryInput {
  prompt: string | AsyncIterable<SDKUserMessage>;
  options?: Options;
}

/** The SDK's `query`, from whichever of its entries. */
export type QueryFunction = (input: QueryInput) => Query;

/** A query under way. */
export interface Play {
  messages: AsyncGenerator<LimitedMessage, void>;
  /** The query that is running now: the caller's, or the tools-free one after it. */
  current(): Query;
}

/** Plays a query under its limits, and the tools-free one after it if it comes to that. */
export function play(
  query: QueryFunction,
  { prompt, options = {} }: QueryInput,
  runs: GovernedRuns,
  price: AdapterOptions["price"],
): Play {
  const signal = options.abortController?.signal;
  const abortController = new AbortController();
  const input = typeof prompt === "string" ? undefined : closable(prompt);
  const loop = new GovernedLoop(runs, options, { interrupt, total, close: () => input?.close() }, price);
  const { hooks } = loop;
  const governed = { ...waitingFor(options, runs), abortController, includePartialMessages: true, hooks };
  const start = (prompt: QueryInput["prompt"], more: Options) =>
    query({ prompt, options: { ...more, ...governed } });

  let current = start(input?.source ?? prompt, options);
  // Read at once: the hooks must know what was answered, however slowly the caller reads.
  let ahead = readAhead(current, (message) => loop.see(message));

  async function interrupt(): Promise<void> {
    await current.interrupt().catch(() => {});
  }

  async function total(): Promise<Usage | undefined> {
    try {
      const { session } = await current.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({
        skipBehaviors: true,
      });
      return totalOf(session.total_cost_usd, session.model_usage);
    } catch {
      return undefined; // as it says of itself, it may be gone one day
    }
  }

  // Aborted at once, the program would go on for seconds, with nobody to answer its hooks.
  const abort = () => void interrupt().finally(() => abortController.abort());
  if (signal?.aborted) abortController.abort();
  signal?.addEventListener("abort", abort, { once: true });

  async function* messages(): AsyncGenerator<LimitedMessage, void> {
    try {
      yield* relayed();
      const message = loop.takeSynthesis();
      if (message !== undefined && !signal?.aborted) {
        current = start(message, withoutTools(options, loop.sessionId));
        ahead = readAhead(current, (message) => loop.see(message));
        yield* relayed();
      }
      if (loop.error) throw loop.error;
    } finally {
      signal?.removeEventListener("abort", abort);
      input?.close();
      if (signal?.aborted && !runs.outcome && runs.governor.status === "idle") runs.begin();
      runs.end(signal?.aborted ? "aborted" : "failed");
    }
  }

  async function* relayed(): AsyncGenerator<LimitedMessage, void> {
    let left = true;
    try {
      yield* ahead;
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
    if (runs.governor.status !== "idle") await interrupt();
    runs.end("aborted");
    current.close();
  }

  return { messages: messages(), current: () => current };
}

function withoutTools(options: Options, sessionId: string): Options {
  const { continue: _, forkSession, sessionId: __, resumeSessionAt, resumeDropsTurn, ...rest } = options;
  return { ...rest, resume: sessionId, tools: [], mcpServers: {}, strictMcpConfig: true, plugins: [] };
}
