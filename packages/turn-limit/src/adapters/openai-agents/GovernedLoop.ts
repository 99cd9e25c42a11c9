import type { Runner } from "@openai/agents";
import type { Admission, GovernedRuns } from "../shared/GovernedRuns.ts";
import { errorAt, withMessage } from "./hooks.ts";
import { ToolCalls } from "./ToolCalls.ts";
import type { UsageMeter } from "./UsageMeter.ts";

/** Any agent, whatever its context and its output. */
export type AnyAgent = Parameters<Runner["run"]>[0];

/** One loop of the host, an agent's or a sub-agent's, under the limits of its run. */
export class GovernedLoop {
  readonly runs: GovernedRuns;
  readonly meter: UsageMeter;
  readonly calls: ToolCalls;
  /** Does a tool call of another loop run this one, on the budget of the same run? */
  readonly nested: boolean;
  /** Aborted when the loop must end in the middle of a request. */
  readonly cutOff: AbortSignal;
  /** The agent whose turn it is. */
  agent: AnyAgent;
  /** The caller's own. */
  signal: AbortSignal | undefined;
  /** Is a sandbox configured? Its agents work as copies of themselves, which only the input filter can see. */
  sandboxed = false;
  /** Does the host ask here what the model is offered? */
  asked = false;
  #admission: Promise<Admission> | undefined;
  readonly #callsCut: AbortController;

  constructor(agent: AnyAgent, runs: GovernedRuns, meter: UsageMeter, parent?: GovernedLoop) {
    this.agent = agent;
    this.runs = runs;
    this.meter = meter;
    this.nested = parent !== undefined;
    this.#callsCut = parent ? parent.#callsCut : new AbortController();
    this.cutOff = parent ? AbortSignal.any([runs.cutOff, this.#callsCut.signal]) : runs.cutOff;
    this.calls = new ToolCalls(runs, this.#callsCut);
  }

  /** The loop of a sub-agent, which a tool call of this one runs. */
  nest(agent: AnyAgent): GovernedLoop {
    return new GovernedLoop(agent, this.runs, this.meter, this);
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

  /** The request is being sent, admitted or not. Throws where it is one too many. Retries are below this. */
  sent(): void {
    this.runs.requestSent();
    const { stop } = this.runs.governor;
    if (stop && this.runs.cutOff.aborted) throw errorAt(stop);
  }

  /** Why a call must not run. */
  refusal(callId: string): string | undefined {
    this.readMeter();
    return this.calls.refusal(callId);
  }

  /** Tells the governor of the answers that came since the last time. */
  readMeter(): void {
    const usage = this.meter.read();
    if (usage) this.runs.turnEnded({ usage });
  }

  #admit(): Promise<Admission> {
    if (!this.#admission) {
      if (this.nested) this.cutOff.throwIfAborted();
      this.readMeter();
      this.#admission = this.runs.admitTurn(this.signal);
    }
    return this.#admission;
  }
}
