import type { Outcome } from "../core/governor/outcome.ts";
import type { AdapterOptions } from "../run/options.ts";
import type { RunControl } from "../run/run.ts";

/** A model request as the scripted model got it. */
export interface SeenRequest {
  /** Counted from 1, over all runs of the scenario. */
  index: number;
  /** The names of the tools that were offered. */
  tools: string[];
  /** The name of the tool that the model was made to call, if it was. */
  forced?: string | undefined;
  /** Every text of the conversation, in order: prompts, answers, results of tool calls, instructions. */
  texts: string[];
}

/**
 * What the scripted model answers: `calls` tool calls at once, all with the argument `{ id: same }` if that is given, each
 * with the arguments `more` beside it, and after them one of the final tool with the argument `{ found: submits }`, if that is given; a final text; a failure that the host may retry; or nothing, until the request is aborted.
 */
export type ModelReply =
  | { calls: number; same?: string; more?: MoreArguments; submits?: string }
  | { text: string }
  | { fails: true }
  | { stalls: true };

/** What a call may have beside the `id`. The tool ignores it. */
export interface MoreArguments {
  attempt?: number;
  timeout?: number;
  page?: number;
}

/** One or more runs to be played on the host's real loop. */
export interface Scenario {
  /** What the adapter is given. */
  limits: AdapterOptions;
  /** What the model answers to each request. `signal`: the one that the request was given, if any. */
  model: (request: SeenRequest, signal?: AbortSignal) => ModelReply;
  /**
   * What the model reports of what its answers take: 0 tokens, or nothing at all, which is the same where the host cannot tell
   * them apart. Default: what they take.
   */
  usage?: "zero" | "none";
  /** Use the host's streaming API. */
  streaming?: boolean;
  /** Aborts the run, in the host's own way. */
  signal?: AbortSignal;
  /** How many prompts are given, one after the other, to the same governed host. Default 1. */
  prompts?: number;
  /**
   * Called with the `id` argument, and the signal that the tool was given, if any, when a tool call executes. A text that
   * it returns, or promises, is the result of the call; otherwise that is `done`. What it throws, the tool throws.
   */
  onExecute?: (id: string, signal?: AbortSignal) => unknown;
  /**
   * The agent has a second tool, `submit`, that takes `{ found: string }`, and with which it gives its answer, where
   * {@link Capabilities.finalTool} is true. The limits name it. Called with the argument when it executes, and may throw.
   */
  onSubmit?: (found: string) => void;
  /** How the tool is made, where {@link Capabilities.classTools} or {@link Capabilities.approvals} is true. */
  tool?: ScriptedTool;
  /**
   * The agent has to answer with the object `{ found: string }`, by the host's own structured output, where
   * {@link Capabilities.structured} is true. The model's text is that object as JSON, to be given in the way that the
   * host expects it.
   */
  structured?: boolean;
  /**
   * The host itself ends the run after the first answer with tool calls, by a rule that the caller gives it, or with
   * an error of its own for that, where {@link Capabilities.endRule} is true.
   */
  endsAfterCalls?: boolean;
  /** Play it without the adapter, where {@link Capabilities.transparent} is true. */
  ungoverned?: boolean;
  /** Called with what the limits of the run are changed by, before its first turn, where {@link Capabilities.configure} is true. */
  onControl?: (control: RunControl) => void;
}

/** How the one tool is made. */
export interface ScriptedTool {
  /** It is an object of a class: its methods are on the prototype, and read a private member. */
  classBased?: boolean;
  /** A person has to approve its calls, which is said by the tool, in the host's own way; this is what the person says. */
  approve?: (id: string) => boolean;
}

/** What was seen. */
export interface Observed {
  /** Every request that the model got, in order. */
  requests: SeenRequest[];
  /** The `id` arguments of the calls that really executed, in the order in which they began. */
  executed: string[];
  /** The `found` arguments of the calls of the final tool that really executed. */
  submitted: string[];
  /** Calls of the final transcript that have no result. */
  orphans: number;
  /** The text of the final answer of the last run, if there was one. */
  answer: string | undefined;
  /** The outcome of each run, read from where a user of the host would read it. */
  outcomes: (Outcome | undefined)[];
  /** What the last run threw, if it did. */
  error: unknown;
  /**
   * What the caller's own callbacks were told, in order, a word for each; and, for each request and tool call, whether
   * it had a signal. Any words: they are compared with those of a run without the adapter.
   */
  callbacks: string[];
}

/** What a host can do. A text says why not. */
export interface Capabilities {
  /** Can a turn be held while a person is asked? */
  ask: true | string;
  /** A limit of tool calls. */
  steps: true | string;
  /** Can the model be told something before a turn? */
  wrapUp: true | string;
  /** Can there be a last turn without tools? */
  synthesize: true | string;
  /** Can the caller abort a run? */
  abort: true | string;
  /** Does the host have a streaming API? */
  streaming: true | string;
  /** Does the adapter see the retries of the host, so that a retry is not counted twice? */
  retries: true | string;
  /** Is every request counted that is really sent, also one that the host makes again by itself? */
  requests: true | string;
  /** Does the adapter report the usage of each answer? */
  usage: true | string;
  /** Limits of tokens and cost. */
  spending: true | string;
  /** A time limit, also in the middle of a turn. */
  time: true | string;
  /** Limits of single tools and of repeats. */
  calls: true | string;
  /** Can other settings be given during a run? */
  configure: true | string;
  /** Is what is really sent and executed counted a second time? */
  selfCheck: true | string;
  /** Is what the model is told in one run gone from the conversation at the next prompt? */
  forgets: true | string;
  /** Can a tool be an object of a class? */
  classTools: true | string;
  /** Can calls wait for the approval of a person? */
  approvals: true | string;
  /** Can the agent be made to answer with an object? */
  structured: true | string;
  /** Can the agent give its answer with a tool that the limits name? */
  finalTool: true | string;
  /** Can the model be made to call that one in the last turn? */
  forcedTool: true | string;
  /** Can the caller give the host a rule that ends a run after tool calls? */
  endRule: true | string;
  /** Does the caller see nothing of the adapter while no limit is reached? */
  transparent: true | string;
  /** Can several runs be under way under one adapter? */
  runsAtOnce: true | string;
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
  requests: true,
  usage: true,
  spending: true,
  time: true,
  calls: true,
  configure: true,
  selfCheck: true,
  forgets: true,
  classTools: true,
  approvals: true,
  structured: true,
  finalTool: true,
  forcedTool: true,
  endRule: true,
  transparent: true,
  runsAtOnce: true,
};

/** What is seen before anything has happened. */
export function nothingSeen(): Observed {
  return {
    requests: [],
    executed: [],
    submitted: [],
    orphans: 0,
    answer: undefined,
    outcomes: [],
    error: undefined,
    callbacks: [],
  };
}

/** A host with its adapter and a scripted model. The model has one tool, `work`, that takes `{ id }`, and ignores {@link MoreArguments}. */
export interface ScriptedHost {
  /** The adapter's name, for example `turn-limit/loop`. */
  name: string;
  /** What the contract can expect of it. */
  can: Capabilities;
  /** What the host calls the tool, in pools. Default: `work`. */
  toolName?: string;
  /** Does the host itself know what the answers of its scripted model cost? */
  prices?: boolean;
  /** Must not throw: what a run throws is {@link Observed.error}. */
  play(scenario: Scenario): Promise<Observed>;
  /**
   * Asks for this many turns at once, all of one run, if the host can do that: how many of them began, and how the run
   * ended when no more could.
   */
  turnsAtOnce?(
    limits: AdapterOptions,
    count: number,
  ): Promise<{ begun: number; outcome: Outcome | undefined }>;
  /**
   * Plays one run, not streaming, in which each tool call of the agent runs a sub-agent on the budget of the run, if the
   * host can do that. The model is the same for both. What is seen are the requests of both, and the answer, error and
   * outcome of the run; the rest may be left out.
   */
  playWithSubAgents?(
    scenario: Pick<Scenario, "limits" | "model">,
  ): Promise<Pick<Observed, "requests" | "answer" | "outcomes" | "error">>;
  /**
   * Plays one run for each context, all at the same time under one adapter, not streaming: how each of them ended, by
   * the adapter's `outcomeOf` where the host returns something for a run. Where {@link Capabilities.runsAtOnce} is true.
   */
  playAtOnce?(
    scenario: Pick<Scenario, "limits" | "model">,
    contexts: readonly { readonly name: string }[],
  ): Promise<(Outcome | undefined)[]>;
  /** Makes the adapter with these limits and nothing else: it must refuse what the host cannot do. */
  make(limits: AdapterOptions): unknown;
}

/** A tool call of the scripted model. */
export interface ScriptedCall {
  id: string;
  tool: "work" | "submit";
  args: ({ id: string } & MoreArguments) | { found: string };
}

/** The tool calls of a reply to a request. */
export function callsOf(reply: Extract<ModelReply, { calls: number }>, request: number): ScriptedCall[] {
  const calls = Array.from({ length: reply.calls }, (_, n): ScriptedCall => {
    const id = callId(request, n + 1);
    return { id, tool: "work", args: { id: reply.same ?? id, ...reply.more } };
  });
  const { submits: found } = reply;
  if (found === undefined) return calls;
  return [...calls, { id: callId(request, reply.calls + 1), tool: "submit", args: { found } }];
}

/** The id of the n-th call, counted from 1, of the answer to a request. */
export function callId(request: number, n: number): string {
  return `r${request}c${n}`;
}
