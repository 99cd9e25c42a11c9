import type { AdapterOptions } from "../packages/turn-limit/src/adapters/loop/index.ts";
import type { Pool } from "../packages/turn-limit/src/index.ts";
import type { ModelReply, SeenRequest } from "../packages/turn-limit/src/testing/scripted-host.ts";

/** A situation in which limiters are compared. */
export interface Trial {
  name: string;
  /** The limit on turns, if the trial is about one. */
  turns?: number;
  /** The limit on tool calls, if the trial is about one. */
  steps?: number;
  /** Is a final answer expected although the limit is hit? */
  wantsAnswer?: boolean;
  /** How many prompts are given on the same thread. Default 1. */
  prompts?: number;
  /** Does the tool hand its work to a sub-agent, of two requests, of the same framework? */
  subAgents?: boolean;
  /**
   * Is it played in several processes? `sub-agents`: each tool call runs a sub-agent, of two requests, in a child process.
   * `days`: a prompt in each of two processes, and the limit is one for the day. `resumed`: each tool call waits for a
   * person, and the run goes on in another process.
   */
  processes?: "sub-agents" | "days" | "resumed";
  /** What else the tool does in each call. */
  work?: () => Promise<unknown>;
  /** The limit is what most of 20 earlier runs took, of which each took so many turns. */
  earlierTurns?: number;
  /** Is the limit one for the day, and does the next day come as soon as a run waits for it? */
  nextDayComes?: boolean;
  /** The pool that turn-limit draws from, instead of a limit of the run. */
  pool?: Pool;
  /** What turn-limit tells of the run. */
  observe?: AdapterOptions["observe"];
  model: (request: SeenRequest) => ModelReply;
}

/** What was seen. */
export interface Seen {
  /** Requests that reached the model, those of sub-agents included. */
  requests: number;
  /** Tool calls that executed. */
  executed: number;
  /** Calls left without a result in the transcript that the caller gets. */
  orphans: number;
  /** The final text that the caller gets, if any. */
  answer: string | undefined;
  /** What tells the caller why the run ended: the class and message of an error, a finish reason, an outcome. */
  reason: string | undefined;
}

/** What a process leaves behind. */
export interface Left extends Seen {
  /** The run, as plain data, if it waits for a person and can go on. */
  saved?: unknown;
}

/** A framework with one limiter: its own, or ours. */
export interface Contender {
  framework: string;
  /** In words, for example `stopWhen: isStepCount(n)`, or `turn-limit`. */
  limiter: string;
  ours: boolean;
  /** Is it the lack of one? */
  isLack?: true;
  /** Plays the trial; a text says why this limiter cannot be put into it. */
  play(trial: Trial): Promise<Seen | string>;
  /**
   * Plays until a tool call waits for a person: from the prompt, or on from what an earlier process left, with a yes. What
   * was seen is that of all processes. Or a text that says why the run cannot go on in another process.
   */
  goOn: ((trial: Trial, earlier: Left | undefined) => Promise<Left | string>) | string;
}

/** Why a limiter cannot be put into a trial about earlier runs. */
export const TAKES_A_NUMBER = "takes a number, not what earlier runs took";

/** The requests that earlier processes of a run made, for a model that counts on. */
export function earlierRequests(earlier: Left | undefined): SeenRequest[] {
  return Array.from({ length: earlier?.requests ?? 0 }, (_, n) => ({ index: n + 1, tools: [], texts: [] }));
}
