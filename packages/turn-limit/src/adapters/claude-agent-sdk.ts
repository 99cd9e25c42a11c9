/**
 * For `query` of `@anthropic-ai/claude-agent-sdk`.
 *
 * @module
 */
import type { Query } from "@anthropic-ai/claude-agent-sdk";
import type { AdapterOptions } from "../driver/adapter-options.ts";
import { Driver } from "../driver/driver.ts";
import { UnsupportedOption } from "../errors/unsupported-option.ts";
import type { Governor } from "../governor/governor.ts";
import type { Outcome } from "../governor/outcome.ts";
import type { LimitedMessage } from "./claude-agent-sdk/governed-loop.ts";
import { type QueryFunction, type QueryInput, runQuery } from "./claude-agent-sdk/run-query.ts";
import { maySynthesize } from "./shared/may-synthesize.ts";

export type { AdapterOptions } from "../driver/adapter-options.ts";
export type { LimitedMessage, LimitedResult } from "./claude-agent-sdk/governed-loop.ts";
export type { QueryFunction, QueryInput } from "./claude-agent-sdk/run-query.ts";

/** A query with limits. */
export interface LimitedQuery extends Query {
  /** The next message. */
  next(): Promise<IteratorResult<LimitedMessage, void>>;
  /** All messages. */
  [Symbol.asyncIterator](): AsyncGenerator<LimitedMessage, void>;
  /** How the last run ended; `undefined` while one is under way. */
  readonly outcome: Outcome | undefined;
  /** The limits of this query: to read where the run stands, or to change them. */
  readonly governor: Governor;
}

/**
 * Makes a `query` with limits out of the SDK's, with hooks beside the ones that its options have. Each query has limits
 * of its own, so several can be under way at once; with streaming input each prompt of a person is a run, with a fresh
 * budget. Sub-agents are part of the run: their turns and tool calls count too.
 *
 * A tool is limited by the name that the program has for it, such as `mcp__server__tool`. When the time is up in the
 * middle of a turn, the program is interrupted. The time that `canUseTool` and other dialogs take does not count.
 *
 * When a limit raises, the query throws its `LimitExceeded` or `StepLimitExceeded` after the result message. The
 * tools-free last turn resumes the session without tools. Either one ends a query with streaming input: go on with
 * `resume`.
 *
 * @example
 * const limited = limitQuery(query, { turns: 25, steps: { max: 40, onExhausted: "synthesize" } });
 * for await (const message of limited({ prompt: "Find everything.", options })) {
 *   if (message.type === "result") console.log(message.outcome?.kind);
 * }
 */
export function limitQuery(
  query: QueryFunction,
  limits: AdapterOptions = {},
): (input: QueryInput) => LimitedQuery {
  // The program itself says what a run costs; the price is for when it does not.
  const { price, ...options } = limits;
  new Driver(options); // Invalid limits are refused here, not in the first query.
  return (input) => {
    const driver = new Driver(options);
    if (maySynthesize(driver.governor) && input.options?.persistSession === false) {
      throw new UnsupportedOption(
        "turn-limit/claude-agent-sdk",
        "synthesize",
        "the tools-free turn resumes the session, and persistSession is false",
      );
    }
    const { messages, current } = runQuery(query, input, driver, price);
    const own = {
      next: () => messages.next(),
      return: () => messages.return(),
      throw: (error: unknown) => messages.throw(error),
      [Symbol.asyncIterator]: () => messages,
      governor: driver.governor,
      get outcome() {
        return driver.outcome;
      },
    };
    return new Proxy(current(), {
      get(_, key) {
        if (key in own) return Reflect.get(own, key);
        const value = Reflect.get(current(), key);
        return typeof value === "function" ? value.bind(current()) : value;
      },
    }) as LimitedQuery;
  };
}
