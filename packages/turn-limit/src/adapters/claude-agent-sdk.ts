/**
 * For `query` of `@anthropic-ai/claude-agent-sdk`.
 *
 * @module
 */
import type { Query } from "@anthropic-ai/claude-agent-sdk";
import { UnsupportedOption } from "../errors/UnsupportedOption.ts";
import { createGovernor } from "../governor/createGovernor.ts";
import type { Governor } from "../governor/Governor.ts";
import type { Outcome } from "../governor/Outcome.ts";
import type { LimitedMessage } from "./claude-agent-sdk/LimitedMessage.ts";
import { maySynthesize } from "./claude-agent-sdk/maySynthesize.ts";
import { play, type QueryFunction, type QueryInput } from "./claude-agent-sdk/play.ts";
import type { AdapterOptions } from "./shared/AdapterOptions.ts";
import { GovernedRuns } from "./shared/GovernedRuns.ts";

export type { LimitedMessage, LimitedResult } from "./claude-agent-sdk/LimitedMessage.ts";
export type { QueryFunction, QueryInput } from "./claude-agent-sdk/play.ts";
export type { AdapterOptions } from "./shared/AdapterOptions.ts";

/** A query with limits. */
export interface LimitedQuery extends Query {
  next(): Promise<IteratorResult<LimitedMessage, void>>;
  [Symbol.asyncIterator](): AsyncGenerator<LimitedMessage, void>;
  /** How the last run ended; `undefined` while one is under way. */
  readonly outcome: Outcome | undefined;
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
 * When the step limit raises, the query throws `StepLimitExceeded` after its result message. The tools-free last turn is
 * made by resuming the session without tools. Either is the end of a query with streaming input: go on with `resume`.
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
  // The program itself says what a run costs, if it can.
  const { price, ...options } = limits;
  createGovernor(options); // what is wrong with them is said at once
  return (input) => {
    if (maySynthesize(limits) && input.options?.persistSession === false) {
      throw new UnsupportedOption(
        "turn-limit/claude-agent-sdk",
        "synthesize",
        "the tools-free turn resumes the session, and persistSession is false",
      );
    }
    const runs = new GovernedRuns(options);
    const { messages, current } = play(query, input, runs, price);
    const own = {
      next: () => messages.next(),
      return: () => messages.return(),
      throw: (error: unknown) => messages.throw(error),
      [Symbol.asyncIterator]: () => messages,
      governor: runs.governor,
      get outcome() {
        return runs.outcome;
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
