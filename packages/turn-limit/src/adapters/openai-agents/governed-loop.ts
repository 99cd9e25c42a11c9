import type { Runner } from "@openai/agents";
import type { Admission, Driver } from "../../driver/driver.ts";
import { errorAt, withMessage } from "./hooks.ts";
import type { HostUsage } from "./host-usage.ts";
import { ToolCalls } from "./tool-calls.ts";

/** Any agent, whatever its context and its output. */
export type AnyAgent = Parameters<Runner["run"]>[0];

/** One loop of the host, an agent's or a sub-agent's, under the limits of its run. */
export class GovernedLoop {
  readonly driver: Driver;
  readonly calls: ToolCalls;
  /** Does a tool call of another loop run this one, on the budget of the same run? */
  readonly nested: boolean;
  /** Aborted when the loop must end in the middle of a request. */
  readonly cutOffSignal: AbortSignal;
  /** The agent whose turn it is. */
  agent: AnyAgent;
  callerSignal: AbortSignal | undefined;
  /** Is a sandbox configured? Its agents work as copies of themselves, which only the input filter can see. */
  sandboxed = false;
  /** Has the host asked here for the tools of the agent? */
  asked = false;
  readonly #usage: HostUsage;
  readonly #callsCut: AbortController;
  #admission: Promise<Admission> | undefined;

  constructor(agent: AnyAgent, driver: Driver, usage: HostUsage, parent?: GovernedLoop) {
    this.agent = agent;
    this.driver = driver;
    this.#usage = usage;
    this.nested = parent !== undefined;
    this.#callsCut = parent ? parent.#callsCut : new AbortController();
    this.cutOffSignal = parent ? AbortSignal.any([driver.signal, this.#callsCut.signal]) : driver.signal;
    this.calls = new ToolCalls(driver, this.#callsCut);
  }

  /** The loop of a sub-agent, which a tool call of this one runs. */
  nest(agent: AnyAgent): GovernedLoop {
    return new GovernedLoop(agent, this.driver, this.#usage, this);
  }

  /** The host lists what the model is offered before it sends the request, so the turn is admitted here. */
  async offered<Offer>(list: () => Promise<Offer[]>): Promise<Offer[]> {
    this.asked = true;
    return (await this.#admit()).kind === "synthesize" ? [] : list();
  }

  /** The host asks for the instructions as the last thing before it sends the request. */
  async instructed(instructions: string | undefined): Promise<string | undefined> {
    if (this.sandboxed || !this.#admission) return instructions;
    return withMessage(instructions, await this.send());
  }

  /** The request is about to be sent. */
  async send(): Promise<Admission> {
    const admission = await this.#admit();
    this.#admission = undefined;
    this.calls.clear();
    return admission;
  }

  /** The request is being sent, admitted or not. Throws if it is one too many. Not called for the host's retries. */
  sent(): void {
    this.driver.requestSent();
    const { stop } = this.driver.governor.view;
    if (stop && this.driver.signal.aborted) throw errorAt(stop);
  }

  /** Why a call must not run, or `undefined` if it may. */
  refusal(callId: string): string | undefined {
    this.reportAnswers();
    return this.calls.refusal(callId);
  }

  /** Tells the driver of the answers that came since the last time. */
  reportAnswers(): void {
    const answers = this.#usage.read();
    if (answers) this.driver.turnEnded(answers);
  }

  #admit(): Promise<Admission> {
    if (!this.#admission) {
      if (this.nested) this.cutOffSignal.throwIfAborted();
      this.reportAnswers();
      this.#admission = this.nested
        ? this.driver.admitSubAgentTurn(this.callerSignal)
        : this.driver.admitTurn(this.callerSignal);
    }
    return this.#admission;
  }
}
