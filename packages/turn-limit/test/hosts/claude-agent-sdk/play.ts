import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type Options, query } from "@anthropic-ai/claude-agent-sdk";
import {
  type AdapterOptions,
  type LimitedMessage,
  type LimitedQuery,
  type LimitedResult,
  limitQuery,
  type QueryFunction,
  type QueryInput,
} from "../../../src/adapters/claude-agent-sdk/index.ts";
import type { Outcome } from "../../../src/core/governor/outcome.ts";
import type { ModelReply } from "../../../src/testing/scripted-host.ts";
import { offline, withHome } from "../claude-agent-sdk.ts";
import { type Answer, type ApiRequest, contentOf, scriptedApi, type Usage } from "./scripted-api.ts";

export interface Played {
  requests: number;
  executed: string[];
  results: LimitedResult[];
  /** How the last query ended. */
  outcome: Outcome | undefined;
}

export interface Script {
  limits: AdapterOptions;
  answer: (index: number, request: ApiRequest) => ModelReply | ReturnType<Answer>;
  /** What each answer took. */
  usage?: Usage;
  execute?: (id: string) => unknown;
  options?: Options;
  prompts?: QueryInput["prompt"][];
  via?: QueryFunction;
  /** What the caller does at a message. */
  onMessage?: (message: LimitedMessage, limited: LimitedQuery) => unknown;
  /** Where the results go, also if a query throws. */
  results?: LimitedResult[];
}

/** Plays one query after the other, in one session, until the program has ended. */
export function play({
  limits,
  answer,
  usage,
  execute,
  options,
  prompts = ["go"],
  via = query,
  onMessage,
  results = [],
}: Script): Promise<Played> {
  return withHome(async (home) => {
    const played: Played = { requests: 0, executed: [], results, outcome: undefined };
    const exits: Promise<unknown>[] = [];
    await using api = await scriptedApi((request, index) => {
      played.requests = index;
      const reply = answer(index, request);
      const isAnswer = typeof reply === "string" || Array.isArray(reply) || "tooLong" in reply;
      return isAnswer ? reply : contentOf(reply, index);
    }, usage);
    const given = offline(api.url, home, (id) => {
      played.executed.push(id);
      return execute?.(id);
    });
    for (const prompt of prompts) {
      const resume = played.results.at(-1)?.session_id;
      const env = { ...given.env, ...options?.env };
      const spawned: Options = { spawnClaudeCodeProcess: spawning((program) => exits.push(exit(program))) };
      const more = { ...given, ...spawned, ...options, env, ...(resume && { resume }) };
      const limited = limitQuery(via, limits)({ prompt, options: more });
      try {
        for await (const message of limited) {
          if (isResult(message)) played.results.push(message);
          await onMessage?.(message, limited);
        }
      } finally {
        played.outcome = limited.outcome;
        await Promise.all(exits);
      }
    }
    return played;
  });
}

export function isResult(message: LimitedMessage): message is LimitedResult {
  return message.type === "result";
}

/** Starts the program as the SDK does. */
function spawning(started: (program: ChildProcess) => void): NonNullable<Options["spawnClaudeCodeProcess"]> {
  return ({ command, args, cwd, env, signal }) => {
    const program = spawn(command, args, { cwd, env, signal, stdio: ["pipe", "pipe", "ignore"] });
    // Aborted, it is killed.
    program.on("error", () => {});
    started(program);
    return program as never;
  };
}

async function exit(program: ChildProcess): Promise<void> {
  if (program.exitCode === null && program.signalCode === null) await once(program, "exit");
}
