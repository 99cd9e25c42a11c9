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

/** A framework with one limiter: its own, or ours. */
export interface Contender {
  framework: string;
  /** In words, for example `stopWhen: isStepCount(n)`, or `turn-limit`. */
  limiter: string;
  ours: boolean;
  /** Plays the trial; a text says why this limiter cannot be put into it. */
  play(trial: Trial): Promise<Seen | string>;
}
