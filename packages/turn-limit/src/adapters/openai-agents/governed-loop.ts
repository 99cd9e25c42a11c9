import type { FunctionTool, protocol, Runner, ToolUseBehavior } from "@openai/agents";
import type { Failure } from "../../core/governor/run-state.ts";
import type { GovernorState } from "../../core/governor/state.ts";
import type { Model } from "../../core/meter/model.ts";
import type { Turn, TurnStop } from "../../run/turn.ts";
import type { HostedAgent } from "../shared/hosted-agent.ts";
import { type Context, releaseContext } from "./contexts.ts";
import { errorAt, withMessage } from "./hooks.ts";
import { HostUsage } from "./host-usage.ts";
import { TurnCalls } from "./turn-calls.ts";

/** Any agent, whatever its context and its output. */
export type AnyAgent = Parameters<Runner["run"]>[0];

/** What a loop has to know of how it is run. */
interface LoopOptions {
  signal?: AbortSignal | undefined;
  /** The model of agents that name none. */
  model?: AnyAgent["model"] | undefined;
  /** The one that is used where nobody names any. */
  defaultModel?: string | undefined;
  /** Is it a stream? Those are cancelled when they are aborted, without an error. */
  streams?: boolean;
  /** Is a sandbox configured? Its agents work as copies of themselves, which only the input filter can see. */
  sandboxed?: boolean;
  /** Has the caller a filter for the input of each request? */
  filtersInput?: boolean;
}

/** A turn whose answer has not been reported. */
interface Unanswered {
  turn: Turn;
  /** The model that gives it. */
  model: Model | undefined;
  isSent: boolean;
}

/** One loop of the host, an agent's or a sub-agent's, under the limits of its run. */
export class GovernedLoop {
  readonly hosted: HostedAgent;
  readonly context: Context;
  /** The agent whose turn it is. */
  agent: AnyAgent;
  options: LoopOptions = {};
  /** Has the host asked here for the tools of the agent? */
  asked = false;
  /** Do calls wait for approval, so that the run will be resumed? */
  waits = false;
  /** An error that the run has to end with, instead of its next turn. */
  failure: Error | undefined;
  readonly #usage: HostUsage;
  #calls: TurnCalls;
  /** Is it told by the models when they are asked? */
  seesRequests = false;
  #unanswered: Unanswered | undefined;
  /** What the request has of what the model is told to do. */
  #said: string | undefined;

  /** `begun`: calls of agents that wait, which began before the run was saved, as `tool:id`. */
  constructor(
    hosted: HostedAgent,
    agent: AnyAgent,
    context: Context,
    { usage = new HostUsage(context.usage), begun = [] as readonly string[] } = {},
  ) {
    this.hosted = hosted;
    this.agent = agent;
    this.context = context;
    this.#usage = usage;
    this.#calls = new TurnCalls(hosted.turn, begun);
  }

  /** The loop of a sub-agent, which a tool call of this one runs. */
  nest(agent: AnyAgent, context: Context): GovernedLoop {
    return new GovernedLoop(this.hosted.subAgent(), agent, context, { usage: this.#usage });
  }

  /** The host lists what the model is offered before it sends the request, so the turn is admitted here. */
  async offered<Offer>(list: () => Promise<Offer[]>): Promise<Offer[]> {
    this.asked = true;
    const next = this.hosted.next ?? (await this.#admit());
    if (next.kind === "stop" || next.tools) return list();
    if (next.finalTool === undefined) return [];
    return (await list()).filter((offer) => next.offers(String(Object(offer).name)));
  }

  /** The host asks for the instructions as the last thing before it sends the request. */
  instructed(instructions: Promise<string | undefined>): Promise<string | undefined> {
    const { next } = this.hosted;
    if (this.options.sandboxed || !next) return instructions;
    this.#begin(next);
    if (next.kind === "turn" && next.directive === undefined) return instructions;
    return instructions.then((text) => withMessage(text, next));
  }

  /** The request is about to be sent. */
  async send(): Promise<Turn | TurnStop> {
    const next = await this.#admit();
    this.#begin(next);
    return next;
  }

  /**
   * The host asks the model, also once more: then it is admitted, too. Throws if it must not be sent. `unsaid`: what the
   * model has to do that the host's request does not say; `told`: what it has left.
   */
  async attempt(): Promise<{ turn: Turn; unsaid: string | undefined; told: string | undefined }> {
    const { hosted } = this;
    const { turn } = hosted;
    const next = await hosted.attempt(this.options.signal);
    if (next.kind === "stop") throw this.options.signal?.aborted ? this.options.signal.reason : errorAt(next);
    if (next !== turn) this.#underWay(next, true);
    else if (this.seesRequests) this.#sent();
    const { directive, told } = hosted;
    return { turn: next, unsaid: directive === this.#said ? undefined : directive, told };
  }

  /** The host has everything for the request, and sends it unless it gives it up. */
  prepared(): void {
    if (!this.seesRequests) this.#sent();
  }

  /** A model answered. One that was given as an object, without a name, is named by its answer. */
  answeredBy({ providerData }: { providerData?: Record<string, unknown> | undefined }): void {
    const id = providerData?.model;
    if (this.#unanswered && typeof id === "string") this.#unanswered.model ??= { id };
  }

  /** What the final tool made of the answer, if that was given by its call. */
  get delivered(): unknown {
    return this.hosted.run.delivered ? this.#calls.delivered : undefined;
  }

  /** The host is about to call this tool for the model. */
  toolStarts(tool: FunctionTool, call: protocol.FunctionCallItem): void {
    this.#reportAnswer();
    this.#calls.wrapNext(tool, call);
  }

  /**
   * The rule by which the host ends the run with the results of an answer's calls. What a limit ends, or refused, is left to
   * the next turn: there it ends as the limit says.
   */
  endRule(own: ToolUseBehavior): ToolUseBehavior {
    return this.hosted.raised || !this.#calls.mayEndBy(own) ? "run_llm_again" : own;
  }

  /** Calls wait for approval. */
  wait(): void {
    const { run, isNested } = this.hosted;
    this.waits = true;
    // Who goes on with it elsewhere tells pools only what comes after that.
    if (run.shared.isUsed) this.#reportAnswer();
    if (isNested) return;
    run.waiting(true);
    void run.shared.settle();
  }

  /** They were decided about, and it goes on with this agent. */
  resume(agent: AnyAgent): void {
    this.agent = agent;
    this.waits = false;
    if (!this.hosted.isNested) this.hosted.run.waiting(false);
  }

  /** It is over, and so is the run, unless it is a sub-agent's. */
  end(failure?: Failure): void {
    releaseContext(this.context);
    if (this.seesRequests && this.#unanswered?.isSent === false) {
      // The host gave up the request.
      this.#unanswered.turn.abandon();
      this.#unanswered = undefined;
    }
    try {
      // Throws for a price that is not a number. The run has ended anyway.
      this.#reportAnswer(failure);
    } finally {
      this.hosted.end(failure);
    }
  }

  /** What is left of the limits, to be saved; `undefined` if the run is over, or another loop saves them. */
  left(): GovernorState | undefined {
    const { run, isNested } = this.hosted;
    if (isNested) return undefined;
    if (this.waits) this.#reportAnswer();
    return run.facts.status === "idle" ? undefined : run.state;
  }

  async #admit(): Promise<Turn | TurnStop> {
    const { signal, streams } = this.options;
    if (this.failure) throw this.failure;
    // The run, or the call that a sub-agent works in, was cut off.
    if (this.hosted.isNested) this.hosted.signal.throwIfAborted();
    this.#reportAnswer();
    const next = await this.hosted.decideNext(signal, undefined, this.#hasTool);
    // While a person was asked.
    if (!streams) signal?.throwIfAborted();
    return next;
  }

  #begin(next: Turn | TurnStop): void {
    this.hosted.begin(next);
    if (next.kind === "stop") return;
    this.#said = next.directive;
    this.#underWay(next, false);
  }

  // Which tools MCP servers have is not known before they are listed, which is done for a turn that is admitted.
  readonly #hasTool = (name: string): boolean => {
    const { tools, mcpServers } = this.agent;
    return mcpServers.length > 0 || tools.some((tool) => tool.name === name);
  };

  // The request is being sent, admitted or not. Throws if it is one too many. Not called for the host's retries.
  #sent(): void {
    const { turn, run } = this.hosted;
    if (this.#unanswered) this.#unanswered.isSent = true;
    turn.sent();
    const { stop } = run;
    if (stop && turn.isAborted) throw errorAt(stop);
  }

  #underWay(turn: Turn, isSent: boolean): void {
    const model = this.agent.model || this.options.model || this.options.defaultModel;
    this.#unanswered = { turn, model: typeof model === "string" ? { id: model } : undefined, isSent };
    this.#calls = new TurnCalls(turn);
  }

  // What the host's total has grown by is also what others used who share it: other sub-agents, or a compaction.
  #reportAnswer(failure?: Failure): void {
    const usage = this.#usage.read();
    const { turn, model } = this.#unanswered ?? {};
    this.#unanswered = undefined;
    if (turn && failure && !usage) turn.failed(failure);
    else if (turn) turn.answered({ usage, model });
    else if (usage) this.hosted.run.spend("nested", usage);
  }
}
