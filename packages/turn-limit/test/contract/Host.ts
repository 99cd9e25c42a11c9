import type { AdapterOptions } from "../../src/adapters/shared/AdapterOptions.ts";
import type { Outcome } from "../../src/governor/Outcome.ts";

/** A model request as the host's test model saw it. */
export interface SeenRequest {
  /** From 1, over all runs of the scenario. */
  index: number;
  /** The names of the tools that were offered. */
  tools: string[];
  /** Every text of the conversation, in order, whoever said it. */
  texts: string[];
}

/**
 * What the test model answers: `calls` tool calls at once, all with the argument `{ id: same }` if that is given; a final
 * text; a failure that the host may retry; or nothing, until the request is aborted.
 */
export type Reply = { calls: number; same?: string } | { text: string } | { fails: true } | { stalls: true };

/** One or more runs to be played on the host's real loop. */
export interface Scenario {
  limits: AdapterOptions;
  model: (request: SeenRequest) => Reply;
  /** Use the host's streaming API. */
  streaming?: boolean;
  signal?: AbortSignal;
  /** How many prompts are given, one after the other, to the same governed host. Default 1. */
  prompts?: number;
  /** Called with its argument when a tool call executes. A text it returns, or promises, is the result instead of `done`. */
  onExecute?: (id: string) => unknown;
}

/** What came of it. */
export interface Observed {
  requests: SeenRequest[];
  /** The `id` arguments of the calls that really executed, in the order in which they began. */
  executed: string[];
  /** Calls of the final transcript that have no result. */
  orphans: number;
  /** The text of the final answer of the last run, if there was one. */
  answer: string | undefined;
  /** The outcome of each run, read from where a user of the host would read it. */
  outcomes: (Outcome | undefined)[];
  /** What the last run threw, if it did. */
  error: unknown;
}

/** What a host can do. A text says why not. */
export interface Capabilities {
  ask: true | string;
  steps: true | string;
  wrapUp: true | string;
  synthesize: true | string;
  abort: true | string;
  streaming: true | string;
  /** Does the adapter see the retries of the host, so that a retry is not counted twice? */
  retries: true | string;
  /** Does the adapter pass the usage of each answer through? */
  usage: true | string;
  /** Limits of tokens and cost. */
  spending: true | string;
  /** A time limit, also in the middle of a turn. */
  time: true | string;
  /** Limits of single tools and of repeats. */
  calls: true | string;
  /** Is what is really sent and executed counted a second time? */
  selfCheck: true | string;
}

/** A host that can do all of it. */
export const everything: Capabilities = {
  ask: true,
  steps: true,
  wrapUp: true,
  synthesize: true,
  abort: true,
  streaming: true,
  retries: true,
  usage: true,
  spending: true,
  time: true,
  calls: true,
  selfCheck: true,
};

/** What is seen before anything has happened. */
export function nothingSeen(): Observed {
  return { requests: [], executed: [], orphans: 0, answer: undefined, outcomes: [], error: undefined };
}

/** A host with its adapter, played by its own test model: one tool, `work`, that takes `{ id }`. */
export interface Host {
  /** The adapter's export, for example `turn-limit/loop`. */
  name: string;
  can: Capabilities;
  /** Does the host itself know what its test model's answers cost? */
  prices?: boolean;
  play(scenario: Scenario): Promise<Observed>;
  /** Makes the adapter with these limits and nothing else: it must refuse what the host cannot do. */
  make(limits: AdapterOptions): unknown;
}

/** The id of the n-th call, from 1, of the answer to a request. */
export function callId(request: number, n: number): string {
  return `r${request}c${n}`;
}
