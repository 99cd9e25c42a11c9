import type { FunctionTool, Runner } from "@openai/agents";
import type { GovernorState } from "../../core/governor/state.ts";
import type { Admission, Driver } from "../../pools/old-driver/driver.ts";
import { eitherSignal } from "../shared/either-signal.ts";
import { errorAt, withMessage } from "./hooks.ts";
import type { HostUsage } from "./host-usage.ts";
import { CutOff, ToolCalls } from "./tool-calls.ts";

/** Any agent, whatever its context and its output. */
export type AnyAgent = Parameters<Runner["run"]>[0];

/** One loop of the host, an agent's or a sub-agent's, under the limits of its run. */
export class GovernedLoop {
  readonly driver: Driver;
  readonly calls: ToolCalls;
  /** Does a tool call of another loop run this one, on the budget of the same run? */
  readonly nested: boolean;
  /** The agent whose turn it is. */
  agent: AnyAgent;
  /** The model of agents that name none. */
  model: AnyAgent["model"] | undefined;
  callerSignal: AbortSignal | undefined;
  /** Is it a stream? Those are cancelled when they are aborted, without an error. */
  streams = false;
  /** Is a sandbox configured? Its agents work as copies of themselves, which only the input filter can see. */
  sandboxed = false;
  /** Has the host asked here for the tools of the agent? */
  asked = false;
  /** Do calls wait for approval, so that the run will be resumed? */
  waits = false;
  /** An error that the run has to end with, instead of its next turn. */
  failure: Error | undefined;
  readonly #usage: HostUsage;
  readonly #cut: CutOff;
  #answering: AnyAgent;
  #admitting: Promise<Admission> | undefined;
  #admission: Admission | undefined;

  constructor(agent: AnyAgent, driver: Driver, usage: HostUsage, parent?: GovernedLoop) {
    this.agent = this.#answering = agent;
    this.driver = driver;
    this.#usage = usage;
    this.nested = parent !== undefined;
    this.#cut = parent ? parent.#cut : new CutOff();
    this.calls = new ToolCalls(driver, this.#cut);
  }

  /** The loop of a sub-agent, which a tool call of this one runs. */
  nest(agent: AnyAgent): GovernedLoop {
    return new GovernedLoop(agent, this.driver, this.#usage, this);
  }

  /** Aborted when the loop must end in the middle of a request. */
  cutOffSignal(): AbortSignal {
    const { signal } = this.driver;
    return this.nested ? eitherSignal(signal, this.#cut.signal) : signal;
  }

  /** The host lists what the model is offered before it sends the request, so the turn is admitted here. */
  offered<Offer>(list: () => Promise<Offer[]>): Promise<Offer[]> {
    this.asked = true;
    return this.#admission ? offer(this.#admission, list) : this.#offeredOnceAdmitted(list);
  }

  /** The host asks for the instructions as the last thing before it sends the request. */
  instructed(instructions: Promise<string | undefined>): Promise<string | undefined> {
    if (this.sandboxed || !this.#admission) return instructions;
    const admission = this.#send(this.#admission);
    if (admission.kind === "proceed") return instructions;
    return instructions.then((text) => withMessage(text, admission));
  }

  /** The request is about to be sent. */
  async send(): Promise<Admission> {
    return this.#send(await this.#admit());
  }

  /** The request is being sent, admitted or not. Throws if it is one too many. Not called for the host's retries. */
  sent(): void {
    this.driver.requestSent();
    if (!this.driver.signal.aborted) return;
    const { stop } = this.driver.governor.view;
    if (stop) throw errorAt(stop);
  }

  /** The host is about to call this tool for the model. */
  toolStarts(tool: FunctionTool, call: Parameters<ToolCalls["wrapNext"]>[1]): void {
    this.reportAnswers();
    this.calls.wrapNext(tool, call);
  }

  /** Tells the driver of the answers that came since the last time. */
  reportAnswers(): void {
    const answers = this.#usage.read();
    if (!answers) return;
    const model = this.#answering.model || this.model;
    this.driver.turnEnded(answers, typeof model === "string" && model ? { id: model } : undefined);
  }

  /** What is left of the limits, to be saved; `undefined` if the run is over. */
  left(): GovernorState | undefined {
    if (this.waits) this.reportAnswers();
    return this.driver.governor.view.status === "idle" ? undefined : this.driver.governor.state;
  }

  async #offeredOnceAdmitted<Offer>(list: () => Promise<Offer[]>): Promise<Offer[]> {
    return offer(await this.#admit(), list);
  }

  #send(admission: Admission): Admission {
    this.#admission = this.#admitting = undefined;
    this.#answering = this.agent;
    this.calls.clear();
    return admission;
  }

  async #admit(): Promise<Admission> {
    if (!this.#admitting) {
      this.#throwIfEnded();
      this.reportAnswers();
      this.#admitting = this.nested
        ? this.driver.admitSubAgentTurn(this.callerSignal)
        : this.driver.admitTurn(this.callerSignal);
    }
    this.#admission = await this.#admitting;
    // While a person was asked.
    if (!this.streams) this.callerSignal?.throwIfAborted();
    return this.#admission;
  }

  #throwIfEnded(): void {
    if (this.failure) throw this.failure;
    if (!this.nested) return;
    this.driver.signal.throwIfAborted();
    this.#cut.throwIfAborted();
  }
}

async function offer<Offer>({ kind }: Admission, list: () => Promise<Offer[]>): Promise<Offer[]> {
  return kind === "synthesize" ? [] : list();
}
