import type { FunctionTool, protocol, Runner } from "@openai/agents";
import type { Failure } from "../../core/governor/run.ts";
import type { GovernorState } from "../../core/governor/state.ts";
import type { Model } from "../../core/meter/model.ts";
import type { SubAgent } from "../../run/agent-turns.ts";
import type { Run } from "../../run/run.ts";
import type { Turn, TurnStop } from "../../run/turn.ts";
import { eitherSignal } from "../shared/hosted-agent.ts";
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
  /** Is it a stream? Those are cancelled when they are aborted, without an error. */
  streams?: boolean;
  /** Is a sandbox configured? Its agents work as copies of themselves, which only the input filter can see. */
  sandboxed?: boolean;
}

/** One loop of the host, an agent's or a sub-agent's, under the limits of its run. */
export class GovernedLoop {
  readonly run: Run;
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
  /** Its turns: those of the run, or of a sub-agent, which a tool call of another loop runs. */
  readonly #turns: Pick<SubAgent, "turn" | "nextTurn" | "subAgent">;
  /** Aborted when a tool call of the run is cut off: after that no call runs, of no agent of the run. */
  readonly #cut: AbortController;
  #next: Promise<Turn | TurnStop> | undefined;
  #admitted: Turn | TurnStop | undefined;
  #turn: Turn;
  #calls: TurnCalls;
  /** The turn whose answer has not been reported, and the model that gives it. */
  #unanswered: { turn: Turn; model: Model | undefined } | undefined;

  /** `begun`: calls of agents that wait, which began before the run was saved, as `tool:id`. */
  constructor(agent: AnyAgent, context: Context, run: Run, begun: readonly string[], parent?: GovernedLoop) {
    this.agent = agent;
    this.context = context;
    this.run = run;
    this.#usage = parent ? parent.#usage : new HostUsage(context.usage);
    this.#turns = parent ? parent.#turns.subAgent() : run;
    this.#cut = parent ? parent.#cut : new AbortController();
    this.#turn = this.#turns.turn;
    this.#calls = new TurnCalls(this.#turn, this.#cut, begun);
  }

  /** The loop of a sub-agent, which a tool call of this one runs. */
  nest(agent: AnyAgent, context: Context): GovernedLoop {
    return new GovernedLoop(agent, context, this.run, [], this);
  }

  /** The turn that was sent last. */
  get turn(): Turn {
    return this.#turn;
  }

  /** Can the run be cut off in the middle of a turn, as things stand? */
  get mayBeCutOff(): boolean {
    return this.run.view.timeLeft !== undefined;
  }

  /** Aborted when the loop must end in the middle of a request. */
  cutOffSignal(): AbortSignal {
    const { signal } = this.run.turn;
    return this.#isNested ? eitherSignal(signal, this.#cut.signal) : signal;
  }

  /** The host lists what the model is offered before it sends the request, so the turn is admitted here. */
  async offered<Offer>(list: () => Promise<Offer[]>): Promise<Offer[]> {
    this.asked = true;
    const next = this.#admitted ?? (await this.#admit());
    return next.kind === "stop" || next.tools ? list() : [];
  }

  /** The host asks for the instructions as the last thing before it sends the request. */
  instructed(instructions: Promise<string | undefined>): Promise<string | undefined> {
    if (this.options.sandboxed || !this.#admitted) return instructions;
    const next = this.#begin(this.#admitted);
    if (next.kind === "turn" && next.message === undefined) return instructions;
    return instructions.then((text) => withMessage(text, next));
  }

  /** The request is about to be sent. */
  async send(): Promise<Turn | TurnStop> {
    return this.#begin(await this.#admit());
  }

  /** The request is being sent, admitted or not. Throws if it is one too many. Not called for the host's retries. */
  sent(): void {
    this.#turn.sent();
    const { stop } = this.run.view;
    if (stop && this.run.turn.signal.aborted) throw errorAt(stop);
  }

  /** The host is about to call this tool for the model. */
  toolStarts(tool: FunctionTool, call: protocol.FunctionCallItem): void {
    this.#reportAnswer();
    this.#calls.wrapNext(tool, call);
  }

  /** Calls wait for approval. */
  wait(): void {
    this.waits = true;
    // Who goes on with it elsewhere tells pools only what comes after that.
    if (this.run.shared.isUsed) this.#reportAnswer();
    if (this.#isNested) return;
    this.run.waiting(true);
    void this.run.shared.settle();
  }

  /** They were decided about, and it goes on with this agent. */
  resume(agent: AnyAgent): void {
    this.agent = agent;
    this.waits = false;
    if (!this.#isNested) this.run.waiting(false);
  }

  /** It is over, and so is the run, unless it is a sub-agent's. */
  end(failure?: Failure): void {
    releaseContext(this.context);
    if (this.#admitted?.kind === "turn") this.#admitted.abandon();
    try {
      // Throws for a price that is not a number. The run has ended anyway.
      this.#reportAnswer(failure);
    } finally {
      if (!this.#isNested) this.run.end(failure);
    }
  }

  /** What is left of the limits, to be saved; `undefined` if the run is over, or another loop saves them. */
  left(): GovernorState | undefined {
    if (this.#isNested) return undefined;
    if (this.waits) this.#reportAnswer();
    return this.run.view.status === "idle" ? undefined : this.run.state;
  }

  get #isNested(): boolean {
    return this.#turns !== this.run;
  }

  async #admit(): Promise<Turn | TurnStop> {
    if (!this.#next) {
      this.#throwIfEnded();
      this.#reportAnswer();
      this.#next = this.#turns.nextTurn({ signal: this.options.signal });
    }
    this.#admitted = await this.#next;
    // While a person was asked.
    if (!this.options.streams) this.options.signal?.throwIfAborted();
    return this.#admitted;
  }

  #begin(next: Turn | TurnStop): Turn | TurnStop {
    this.#admitted = this.#next = undefined;
    if (next.kind === "stop") return next;
    const model = this.agent.model || this.options.model;
    this.#turn = next;
    this.#unanswered = { turn: next, model: typeof model === "string" && model ? { id: model } : undefined };
    this.#calls = new TurnCalls(next, this.#cut);
    return next;
  }

  // What the host's total has grown by is also what others used who share it: other sub-agents, or a compaction.
  #reportAnswer(failure?: Failure): void {
    const usage = this.#usage.read();
    const { turn, model } = this.#unanswered ?? {};
    this.#unanswered = undefined;
    if (turn && failure && !usage) turn.failed(failure);
    else if (turn) turn.answered({ usage, model });
    else if (usage) this.run.spend("nested", usage);
  }

  #throwIfEnded(): void {
    if (this.failure) throw this.failure;
    if (!this.#isNested) return;
    this.run.turn.signal.throwIfAborted();
    this.#cut.signal.throwIfAborted();
  }
}
