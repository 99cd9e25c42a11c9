/**
 * For `query` of `@anthropic-ai/claude-agent-sdk`.
 *
 * @module
 */
import type { Query } from "@anthropic-ai/claude-agent-sdk";
import { check, isPlainObject, optional, requireFields } from "../../core/checks.ts";
import { UnsupportedOption } from "../../core/errors/unsupported-option.ts";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { AdapterOptions } from "../../run/options.ts";
import { Run, type RunControl, type RunSettings } from "../../run/run.ts";
import { requireVersion } from "../shared/framework-version.ts";
import { limitsRequests, maySynthesize, Runs } from "../shared/runs.ts";
import type { LimitedMessage } from "./governed-loop.ts";
import { type QueryFunction, type QueryInput, runQuery } from "./run-query.ts";

export type { AdapterOptions } from "../../run/options.ts";
export type { RunControl, RunSettings } from "../../run/run.ts";
export type { RunInfo } from "../../run/run-info.ts";
export type { LimitedMessage, LimitedResult } from "./governed-loop.ts";
export type { QueryFunction, QueryInput } from "./run-query.ts";

/** A query with limits. */
export interface LimitedQuery extends Query {
  /** The next message. */
  next(): Promise<IteratorResult<LimitedMessage, void>>;
  /** All messages. */
  [Symbol.asyncIterator](): AsyncGenerator<LimitedMessage, void>;
  /** How its last run ended; `undefined` while one is under way. */
  readonly outcome: Outcome | undefined;
  /** The limits of this query: to read where the run stands, or to change them. */
  readonly limits: RunControl;
}

/** The SDK's `query`, with limits. */
export interface LimitQuery {
  /**
   * Starts a query. `context` is anything: the SDK has no such thing, so it is given here, and `ask` and `onOutcome` are
   * told it as `run.context`. Their `run.id` is the id of the session.
   */
  (input: QueryInput, run?: { context?: unknown }): LimitedQuery;
  /** How the last run of any query ended; `undefined` while it is under way, and before the first. */
  readonly outcome: Outcome | undefined;
  /**
   * How the run ended that a result message is of, or the last run of a query. `undefined` until it is over, and for
   * anything else.
   */
  outcomeOf(result: unknown): Outcome | undefined;
}

const ADAPTER = "turn-limit/claude-agent-sdk";

const requireQuery = check<QueryFunction>(
  (value) => typeof value === "function",
  "the function `query` of the Claude Agent SDK",
);
const requireInput = check<QueryInput>(isPlainObject, "an object with a prompt, and options if you like");
const requirePrompt = check(
  (value) => typeof value === "string" || typeof Object(value)[Symbol.asyncIterator] === "function",
  "a text, or an async iterable of messages",
);
const requireQueryOptions = optional(check(isPlainObject, "an object with options of the SDK"), undefined);

/**
 * Makes a `query` with limits out of the SDK's, with hooks beside the ones that its options have. Each query has limits
 * of its own, so several can be under way at once; with streaming input each prompt of a person is a run, with a fresh
 * budget.
 *
 * Sub-agents are part of the run: their turns and tool calls count too. There is one result message for each run, when
 * its sub-agents are done, also those in the background: the last answer, with what the whole run took. The tool call
 * with which the program takes an answer for `outputFormat` is no step. A call that is denied takes none either, but
 * while a person thinks about it, it holds one.
 *
 * A tool is limited by the name that the program has for it, such as `mcp__server__tool`. When the time is up in the
 * middle of a turn, the program is interrupted. The time that `canUseTool` and other dialogs take does not count.
 *
 * When a limit raises, the query throws its `LimitExceeded` or `StepLimitExceeded` after the result message. The
 * tools-free last turn resumes the session without tools. Either one ends a query with streaming input: go on with
 * `resume`. What the model is told, to wrap up or to answer without tools, stays in the session.
 *
 * Where the SDK's own `maxTurns` or `maxBudgetUsd` ends a run, its outcome is `stopped`, without a `limit`.
 *
 * @example
 * const limited = limitQuery(query, { turns: 25, steps: { max: 40, onExhausted: "synthesize" } });
 * for await (const message of limited({ prompt: "Find everything.", options })) {
 *   if (message.type === "result") console.log(message.outcome?.kind);
 * }
 */
export function limitQuery(query: QueryFunction, limits: AdapterOptions = {}): LimitQuery {
  requireVersion("turn-limit/claude-agent-sdk", "@anthropic-ai/claude-agent-sdk");
  requireQuery(query, "query");
  const runs = new Runs(limits);
  const resumes = maySynthesize(requireSeen(runs.options));

  function limited(input: QueryInput, given: { context?: unknown } = {}): LimitedQuery {
    const { prompt, options } = requireInput(input, "input");
    requirePrompt(prompt, "input.prompt");
    requireQueryOptions(options, "input.options");
    requireFields(given, "run", ["context"]);
    if (resumes && options?.persistSession === false) {
      const why = "the tools-free turn resumes the session, and persistSession is false";
      throw new UnsupportedOption(ADAPTER, "synthesize", why);
    }
    const { run, messages, current, close, leave } = runQuery(query, input, runs, given.context);
    const own = {
      next: () => messages.next(),
      return: () => leave().then(() => messages.return()),
      throw: (error: unknown) => leave().then(() => messages.throw(error)),
      [Symbol.asyncIterator]: () => messages,
      [Symbol.asyncDispose]: () => own.return().then(() => {}),
      close,
      limits: controlOf(run, runs.options),
      get outcome() {
        return run.outcome;
      },
    };
    const proxy = new Proxy(current(), {
      has: (_, key) => key in own || key in current(),
      get(_, key) {
        if (key in own) return Reflect.get(own, key);
        const value = Reflect.get(current(), key);
        return typeof value === "function" ? value.bind(current()) : value;
      },
    });
    return runs.returned(proxy as LimitedQuery, () => run.outcome);
  }

  return Object.defineProperty(
    Object.assign(limited, { outcomeOf: (result: unknown) => runs.outcomeOf(result), outcome: undefined }),
    "outcome",
    { get: () => runs.outcome },
  );
}

/** Refuses what the program does not tell. Returns a run with these limits. */
function requireSeen(limits: AdapterOptions): Run {
  const run = new Run(limits);
  if (!limitsRequests(run)) return run;
  const why =
    "the program makes requests again, and others of its own, without asking. Limit turns, or requests with `turn-limit run`";
  throw new UnsupportedOption(ADAPTER, "requests", why);
}

function controlOf(run: Run, { history, progress }: AdapterOptions): RunControl {
  return {
    get view() {
      return run.view;
    },
    configure(settings) {
      const { canAsk: _, ...limits } = Object(settings) as RunSettings;
      requireSeen({ ...limits, history, progress });
      run.configure(settings);
    },
  };
}
